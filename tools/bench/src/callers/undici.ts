import { request } from "undici";
import { endpoint, playRounds, post } from "./rounds.ts";

playRounds(async () => (await request(endpoint, post)).body.json());

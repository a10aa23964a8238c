import { endpoint, playRounds, post } from "./rounds.ts";

playRounds(async () => (await fetch(endpoint, post)).json());

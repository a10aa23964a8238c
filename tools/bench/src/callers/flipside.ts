import { Flipside } from "@flipsidecrypto/sdk";
import { apiKey, params, playRounds, url } from "./rounds.ts";

const { query } = new Flipside(apiKey, url);
playRounds(() => query.getQueryRun(params));

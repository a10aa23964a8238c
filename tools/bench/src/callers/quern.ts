import { createClient, getQueryRun } from "@quern/client";
import { apiKey, params, playRounds, url } from "./rounds.ts";

const client = createClient({ url, apiKey });
playRounds(() => getQueryRun(client, params));

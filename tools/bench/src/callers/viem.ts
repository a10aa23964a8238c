import { createClient, http } from "viem";
import { endpoint, playRounds } from "./rounds.ts";

const client = createClient({ transport: http(endpoint, { batch: true }) });
playRounds(() => client.request({ method: "eth_blockNumber" }));

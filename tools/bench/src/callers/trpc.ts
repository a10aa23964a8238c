import { createTRPCUntypedClient, httpBatchLink } from "@trpc/client";
import { params, playRounds, url } from "./rounds.ts";

const client = createTRPCUntypedClient({ links: [httpBatchLink({ url: `${url}/trpc`, methodOverride: "POST" })] });
playRounds(() => client.query("getQueryRun", params));

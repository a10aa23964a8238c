import type { Target } from "./target.ts";
import { client } from "./targets/client/target.ts";
import { protocol } from "./targets/protocol/target.ts";
import { server } from "./targets/server/target.ts";

/** Everything that is generated. */
export const targets: readonly Target[] = [protocol, client, server];

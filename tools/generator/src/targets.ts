import type { Target } from "./target.ts";
import { cli } from "./targets/cli/target.ts";
import { client } from "./targets/client/target.ts";
import { corpus } from "./targets/corpus/target.ts";
import { mcp } from "./targets/mcp/target.ts";
import { mockServer } from "./targets/mock-server/target.ts";
import { protocol } from "./targets/protocol/target.ts";
import { queryOptions } from "./targets/query-options/target.ts";
import { reference } from "./targets/reference/target.ts";
import { server } from "./targets/server/target.ts";

/** All targets. */
export const targets: readonly Target[] = [
  protocol,
  client,
  queryOptions,
  cli,
  mcp,
  server,
  mockServer,
  reference,
  corpus,
];

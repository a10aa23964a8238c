import { defaults } from "../generated/defaults.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import { cancelQueryRun } from "./cancel-query-run.ts";
import { createQueryRun } from "./create-query-run.ts";
import { createUpload } from "./create-upload.ts";
import { describeQuery } from "./describe-query.ts";
import { getColumnProfile } from "./get-column-profile.ts";
import { getQueryRun } from "./get-query-run.ts";
import { getQueryRunDownload } from "./get-query-run-download.ts";
import { getQueryRunResults } from "./get-query-run-results.ts";
import { getSqlStatement } from "./get-sql-statement.ts";
import { listQueryRuns } from "./list-query-runs.ts";
import { listTables } from "./list-tables.ts";
import type { Context } from "./lookup.ts";
import { summarizeQueryRunResults } from "./summarize-query-run-results.ts";

/** Handlers of the methods that read or change the state. */
const stateful = {
  cancelQueryRun,
  createQueryRun,
  createUpload,
  describeQuery,
  getColumnProfile,
  getQueryRun,
  getQueryRunDownload,
  getQueryRunResults,
  getSqlStatement,
  listQueryRuns,
  listTables,
  summarizeQueryRunResults,
} satisfies Partial<MethodHandlers<Context>>;

/**
 * Handlers that answer with the result of the first example of each method, for methods without a handler of their own.
 */
const examples = Object.fromEntries(Object.entries(defaults).map(([method, result]) => [method, async () => result]));

/** In a namespace with a recording, the recording answers in place of the handler. */
const replaying = Object.entries({ ...examples, ...stateful }).map(([method, handle]) => {
  // Each handler gets the params of its own method, which the union type cannot express.
  const answer = handle as (params: unknown, context: Context) => Promise<unknown>;
  return [
    method,
    (params: unknown, context: Context) =>
      context.principal.replay === undefined
        ? answer(params, context)
        : context.principal.replay.answer(method, params),
  ] as const;
});

// The defaults have an entry for each method, which the type of `fromEntries` loses.
export const handlers = Object.fromEntries(replaying) as unknown as MethodHandlers<Context>;

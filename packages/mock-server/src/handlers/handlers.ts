import { defaults } from "../generated/defaults.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import { cancelQueryRun } from "./cancel-query-run.ts";
import { createQueryRun } from "./create-query-run.ts";
import { describeQuery } from "./describe-query.ts";
import type { Context } from "./found.ts";
import { getQueryRun } from "./get-query-run.ts";
import { getQueryRunDownload } from "./get-query-run-download.ts";
import { getQueryRunResults } from "./get-query-run-results.ts";
import { getSqlStatement } from "./get-sql-statement.ts";
import { listQueryRuns } from "./list-query-runs.ts";

/** Methods with a state. */
const stateful = {
  cancelQueryRun,
  createQueryRun,
  describeQuery,
  getQueryRun,
  getQueryRunDownload,
  getQueryRunResults,
  getSqlStatement,
  listQueryRuns,
} satisfies Partial<MethodHandlers<Context>>;

/** Every other method of the document answers with the result of its first example. */
const examples = Object.fromEntries(Object.entries(defaults).map(([method, result]) => [method, async () => result]));

/** A namespace with a recording answers by it. */
const answering = Object.entries({ ...examples, ...stateful }).map(([method, handle]) => {
  // Each handler gets the params of its own method, which the union of them all cannot say.
  const answer = handle as (params: unknown, context: Context) => Promise<unknown>;
  return [
    method,
    (params: unknown, context: Context) =>
      context.principal.replay === undefined
        ? answer(params, context)
        : context.principal.replay.answer(method, params),
  ] as const;
});

// The defaults have an entry of the method's own type for each method, which `fromEntries` cannot say.
export const handlers = Object.fromEntries(answering) as unknown as MethodHandlers<Context>;

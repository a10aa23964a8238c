import { defaults } from "../generated/defaults.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import { cancelQueryRun } from "./cancel-query-run.ts";
import type { Context } from "./context.ts";
import { createQueryRun } from "./create-query-run.ts";
import { describeQuery } from "./describe-query.ts";
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

// The defaults have an entry of the method's own type for each method, which `fromEntries` cannot say.
export const handlers = { ...examples, ...stateful } as MethodHandlers<Context>;

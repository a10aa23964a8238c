import type { StatementFailure } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import type { Principal } from "../identity/principal.ts";

/** Failures whose messages Quern writes itself. They have names of the statement at most, and no value of a row. */
const ownFailures: ReadonlySet<string> = new Set([
  "BudgetExceeded",
  "DataSourceUnavailable",
  "EngineLost",
  "QueryRunTimedOut",
  "ResultTooLarge",
  "StatementNotAllowed",
  "StorageFull",
  "StorageQuotaExceeded",
  "WorkerLost",
]);

/**
 * Returns a failure as a caller may see it. A caller without the scope `read` gets the name and the location of an error of
 * the engine, because its message can have values of rows, such as the text that a cast refuses.
 */
export function failureShown(failure: StatementFailure, { scopes }: Principal): StatementFailure {
  if (scopes.has("read") || ownFailures.has(failure.name)) return failure;
  const { candidates: _, ...data } = failure.data;
  const location = data.line === undefined ? "" : ` at line ${data.line}, column ${data.column}`;
  const message = `${failure.name}${location}; to see the message, use a key with the scope read.`;
  return { name: failure.name, message, data };
}

/**
 * Returns a run as a caller may see it. A caller without the scope `read` gets no types of columns, because a struct of a
 * PIVOT has values of rows as the names of its members.
 */
export function runShown(run: RunRecord, principal: Principal): RunRecord {
  if (principal.scopes.has("read")) return run;
  const { failure, result } = run;
  return {
    ...run,
    failure: failure && failureShown(failure, principal),
    result: result && { ...result, columns: [] },
  };
}

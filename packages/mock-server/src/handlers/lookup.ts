import type { CallContext } from "@quern/json-rpc/handler";
import { archivedSince } from "@quern/query-run/retention";
import { timestamp } from "@quern/query-run/wire";
import type { NamespaceState, RequestedStatement } from "../namespace/namespace-state.ts";
import type { ResultSet } from "../results/result-set.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError } from "../wire/contract-methods.ts";

/** Context of a call; its principal is the namespace of the API key. */
export type Context = CallContext<NamespaceState>;

/** Returns a run by its id. @throws MethodError QueryRunNotFound */
export function findRun({ runs }: NamespaceState, queryRunId: string): MockRun {
  const run = runs.get(queryRunId);
  if (run === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  return run;
}

/** Returns a statement by its id, with its requests. @throws MethodError SqlStatementNotFound */
export function findStatement({ statements }: NamespaceState, sqlStatementId: string): RequestedStatement {
  const requested = statements.get(sqlStatementId);
  if (requested === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return requested;
}

/**
 * Returns the rows of a run.
 * @throws MethodError QueryRunNotFinished unless it has succeeded, QueryRunResultsExpired after its retention
 */
export function findResult({ record, result }: MockRun, now: number): ResultSet {
  if (result === undefined) throw declaredError("QueryRunNotFinished", { state: record.state });
  const archivedAt = archivedSince(record, now);
  if (archivedAt === null) return result;
  throw declaredError("QueryRunResultsExpired", { archivedAt: timestamp(archivedAt) });
}

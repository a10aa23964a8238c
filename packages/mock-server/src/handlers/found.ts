import type { CallContext } from "@quern/json-rpc/handler";
import { archivedSince } from "@quern/query-run/retention";
import { timestamp } from "@quern/query-run/wire";
import type { AskedStatement, Namespace } from "../namespace/namespace.ts";
import type { ResultSet } from "../results/result-set.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError } from "../wire/declared-error.ts";

/** What the handler of a method gets beside its params; the principal is the namespace of the API key. */
export type Context = CallContext<Namespace>;

/** Finds the run of an id. @throws MethodError where there is none. */
export function foundRun({ runs }: Namespace, queryRunId: string): MockRun {
  const run = runs.get(queryRunId);
  if (run === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  return run;
}

/** Finds a statement and the requests for it. @throws MethodError where there is none. */
export function foundStatement({ statements }: Namespace, sqlStatementId: string): AskedStatement {
  const asked = statements.get(sqlStatementId);
  if (asked === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return asked;
}

/** Returns the rows of a run. @throws MethodError while there is no result, and when it is no longer kept. */
export function keptResult({ record, result }: MockRun, now: number): ResultSet {
  if (result === undefined) throw declaredError("QueryRunNotFinished", { state: record.state });
  const archivedAt = archivedSince(record, now);
  if (archivedAt === null) return result;
  throw declaredError("QueryRunResultsExpired", { archivedAt: timestamp(archivedAt) });
}

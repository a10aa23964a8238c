import type { AnsweredRequest, RunStore, Source } from "@quern/adapter";
import type { Instant, RunRecord, RunResult, StatementRecord } from "@quern/query-run/record";
import { archivedSince } from "@quern/query-run/retention";
import { timestamp } from "@quern/query-run/wire";
import { declaredError } from "../common/declared-error.ts";
import { mayQuery, mayUse, type Principal, seesTenant, userFilterOf } from "../identity/principal.ts";
import type { SourceCatalog } from "../sources/catalog.ts";

/**
 * Finds a run that the caller can see. A user sees the runs they requested, an administrator all runs of the tenant,
 * and a key only runs on its sources. An invisible run gets the same error as an unknown one, so that ids cannot be
 * probed.
 * @throws {MethodError} QueryRunNotFound
 */
export async function findRun(runs: RunStore, principal: Principal, queryRunId: string): Promise<RunRecord> {
  const run = await runs.run(queryRunId);
  const { userId } = principal;
  if (
    run?.tenantId === principal.tenantId &&
    mayQuery(principal, run.dataSourceId) &&
    (run.userId === userId || seesTenant(principal) || (await runs.hasRequested(userId, run)))
  )
    return run;
  throw declaredError("QueryRunNotFound", { queryRunId });
}

/**
 * Returns the result of a run.
 * @throws {MethodError} QueryRunNotFinished if the run has none, also if it failed or was canceled;
 *   QueryRunResultsExpired
 */
export function findResult(run: RunRecord, now: Instant): RunResult {
  if (run.result === null) throw declaredError("QueryRunNotFinished", { state: run.state });
  const archivedAt = archivedSince(run, now);
  if (archivedAt === null) return run.result;
  throw declaredError("QueryRunResultsExpired", { archivedAt: timestamp(archivedAt) });
}

/**
 * Finds a statement and one of its requests that the caller can see: among the newest 100, the latest one whose run
 * succeeded, or else the latest.
 * @throws {MethodError} SqlStatementNotFound
 */
export async function findStatement(
  runs: RunStore,
  principal: Principal,
  sqlStatementId: string,
): Promise<AnsweredRequest & { readonly statement: StatementRecord }> {
  const statement = await runs.statement(principal.tenantId, sqlStatementId);
  const visible = { userId: userFilterOf(principal), sources: principal.sources };
  const latest = statement && (await runs.latestRequest(sqlStatementId, visible));
  if (statement === undefined || latest === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return { statement, ...latest };
}

/**
 * Finds the source of a call. A source that the key may not query, or of another tenant, is reported as unknown.
 * @throws {MethodError} DataSourceNotFound, DataProviderNotFound
 */
export function findSource(
  sources: SourceCatalog,
  principal: Principal,
  dataSource?: string,
  dataProvider?: string,
): Source {
  const lookup = sources.find(dataSource, dataProvider);
  if (!("source" in lookup)) {
    const name = lookup.unknown === "dataSource" ? "DataSourceNotFound" : "DataProviderNotFound";
    throw declaredError(name, { [lookup.unknown]: lookup.name });
  }
  const { name } = lookup.source;
  if (!mayUse(principal, lookup.source)) throw declaredError("DataSourceNotFound", { dataSource: dataSource ?? name });
  return lookup.source;
}

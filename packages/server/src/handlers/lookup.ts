import type { AnsweredRequest, RunStore, Source } from "@quern/adapter";
import type { Instant, RunRecord, RunResult, StatementRecord } from "@quern/query-run/record";
import { archivedSince } from "@quern/query-run/retention";
import { timestamp } from "@quern/query-run/wire";
import { declaredError } from "../common/declared-error.ts";
import { userFilterOf, mayQuery, type Principal, seesTenant } from "../identity/principal.ts";
import type { SourceCatalog } from "../sources/catalog.ts";

/**
 * The run of an id, where it exists for the caller: a user sees what they asked for, a tenant's administrator all of the
 * tenant's, and a key only what is of its sources.
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

/** What a run has left. @throws {MethodError} QueryRunNotFinished, QueryRunResultsExpired */
export function findResult(run: RunRecord, now: Instant): RunResult {
  if (run.result === null) throw declaredError("QueryRunNotFinished", { state: run.state });
  const archivedAt = archivedSince(run, now);
  if (archivedAt === null) return run.result;
  throw declaredError("QueryRunResultsExpired", { archivedAt: timestamp(archivedAt) });
}

/** The statement of an id as the caller's latest request with a result has it, or else the latest one. @throws {MethodError} SqlStatementNotFound */
export async function findStatement(
  runs: RunStore,
  principal: Principal,
  sqlStatementId: string,
): Promise<AnsweredRequest & { readonly statement: StatementRecord }> {
  const statement = await runs.statement(principal.tenantId, sqlStatementId);
  const of = { userId: userFilterOf(principal), sources: principal.sources };
  const latest = statement && (await runs.latestRequest(sqlStatementId, of));
  if (statement === undefined || latest === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return { statement, ...latest };
}

/** The source a call names; one that the key may not query does not exist for it. @throws {MethodError} DataSourceNotFound, DataProviderNotFound */
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
  if (!mayQuery(principal, name)) throw declaredError("DataSourceNotFound", { dataSource: dataSource ?? name });
  return lookup.source;
}

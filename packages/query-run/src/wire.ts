import type { ColumnMetadata, QueryRequest, QueryRun, SqlStatement } from "@quern/protocol/types";
import type { Instant, RequestRecord, ResultColumn, RunRecord, StatementRecord } from "./record.ts";
import { archivedSince } from "./retention.ts";

/** Cache of the last timestamp. */
let last = { instant: 0, text: new Date(0).toISOString() };

/** Returns an instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`, the only format that all published clients parse. */
export function timestamp(instant: Instant): string {
  // Performance: formatting a timestamp is slow, and several timestamps of a run are equal.
  if (instant !== last.instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
}

/** Reasons why queued runs do not start at present, for people to read. */
export interface WaitReasons {
  /** Reasons of the runs of single data sources, by the name of the source; undefined if they start. */
  readonly ofSources?: ReadonlyMap<string, string | undefined>;
  /** Reason of all other runs. @default they start */
  readonly ofOthers?: string | undefined;
}

/**
 * Returns a run in its wire format. All members that the published clients require are always present, because these
 * clients crash on a missing one. `columnEngineTypes` is missing from a run without a result. The caller adds
 * `queuePosition` and `progress`, which are not in the record.
 * @param reasons reasons why queued runs do not start at present. @default they start
 */
export function toQueryRun(run: Omit<RunRecord, "parameters">, now: Instant, reasons?: WaitReasons): QueryRun {
  const { failure, result } = run;
  const own = reasons?.ofSources?.has(run.dataSourceId) ? reasons.ofSources : undefined;
  const waitReason = own === undefined ? reasons?.ofOthers : own.get(run.dataSourceId);
  return {
    id: run.id,
    sqlStatementId: run.sqlStatementId,
    state: run.state,
    path: `${timestamp(run.createdAt).slice(0, 13).replaceAll(/[-T]/g, "/")}/${run.id}`,
    fileCount: result === null ? null : 1,
    lastFileNumber: result === null ? null : 1,
    fileNames: result === null ? null : `${run.id}.parquet`,
    errorName: failure?.name ?? null,
    errorMessage: failure?.message ?? null,
    errorData: failure?.data ?? null,
    dataSourceQueryId: run.engineQueryId ?? null,
    dataSourceSessionId: null,
    startedAt: optionalTimestamp(run.startedAt),
    queryRunningEndedAt: optionalTimestamp(run.queryRunningEndedAt),
    queryStreamingEndedAt: optionalTimestamp(run.queryStreamingEndedAt),
    endedAt: optionalTimestamp(run.endedAt),
    rowCount: result?.rowCount ?? null,
    totalSize: result === null ? null : String(result.totalBytes),
    tags: run.tags,
    dataSourceId: run.dataSourceId,
    userId: run.userId,
    createdAt: timestamp(run.createdAt),
    updatedAt: timestamp(run.updatedAt),
    archivedAt: optionalTimestamp(archivedSince(run, now)),
    statementTimeoutSeconds: run.statementTimeoutSeconds,
    ...(result !== null && { columnEngineTypes: result.columns.map(({ engineType }) => engineType) }),
    ...(waitReason !== undefined && run.state === "QUERY_STATE_READY" && { waitReason }),
  };
}

/** Returns a request in its wire format. */
export function toQueryRequest(request: RequestRecord): QueryRequest {
  return {
    id: request.id,
    sqlStatementId: request.sqlStatementId,
    userId: request.userId,
    tags: request.tags,
    maxAgeMinutes: request.maxAgeMinutes,
    resultTTLHours: request.resultTTLHours,
    userSkipCache: request.maxAgeMinutes === 0,
    triggeredQueryRun: request.triggeredQueryRun,
    queryRunId: request.queryRunId,
    idempotencyKey: request.idempotencyKey,
    createdAt: timestamp(request.createdAt),
    updatedAt: timestamp(request.updatedAt),
  };
}

/**
 * Returns a statement in its wire format, with the user and tags of a request and the columns of its run. Other
 * requests with the same text are not included.
 */
export function toSqlStatement(
  { id, statementHash, sql }: StatementRecord,
  { userId, tags, createdAt, updatedAt }: RequestRecord,
  { result, endedAt }: RunRecord,
): SqlStatement {
  return {
    id,
    statementHash,
    sql,
    columnMetadata: result === null ? null : columnMetadata(result.columns),
    userId,
    tags,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(Math.max(updatedAt, endedAt ?? 0)),
  };
}

function columnMetadata(columns: readonly ResultColumn[]): ColumnMetadata {
  return {
    types: columns.map(({ kind }) => kind),
    columns: columns.map(({ name }) => name),
    // A column may be named `__proto__`, which `fromEntries` handles like any other name.
    colTypeMap: Object.fromEntries(columns.map(({ name, kind }) => [name, kind])),
  };
}

function optionalTimestamp(instant: Instant | null): string | null {
  return instant === null ? null : timestamp(instant);
}

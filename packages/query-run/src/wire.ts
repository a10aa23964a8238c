import type { ColumnMetadata, QueryRequest, QueryRun, SqlStatement } from "@quern/protocol/types";
import type { Instant, RequestRecord, ResultColumn, RunRecord, StatementRecord } from "./record.ts";
import { archivedSince } from "./retention.ts";

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, the one form that all published clients parse. */
export function timestamp(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** The run as callers see it at an instant. The published clients crash on a missing member, so every member is always there. */
export function toQueryRun(run: RunRecord, now: Instant): QueryRun {
  const { failure, result } = run;
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
    dataSourceQueryId: null,
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
  };
}

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

export function toSqlStatement(statement: StatementRecord): SqlStatement {
  return {
    id: statement.id,
    statementHash: statement.statementHash,
    sql: statement.sql,
    columnMetadata: statement.columns === null ? null : columnMetadata(statement.columns),
    userId: statement.userId,
    tags: statement.tags,
    createdAt: timestamp(statement.createdAt),
    updatedAt: timestamp(statement.updatedAt),
  };
}

function columnMetadata(columns: readonly ResultColumn[]): ColumnMetadata {
  return {
    types: columns.map(({ kind }) => kind),
    columns: columns.map(({ name }) => name),
    // A column may be named `__proto__`; fromEntries makes it a member like any other.
    colTypeMap: Object.fromEntries(columns.map(({ name, kind }) => [name, kind])),
  };
}

function optionalTimestamp(instant: Instant | null): string | null {
  return instant === null ? null : timestamp(instant);
}

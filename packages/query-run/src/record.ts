import type { QueryRunErrorData } from "@quern/protocol/types";

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

export type RunState =
  | "QUERY_STATE_READY"
  | "QUERY_STATE_RUNNING"
  | "QUERY_STATE_STREAMING_RESULTS"
  | "QUERY_STATE_SUCCESS"
  | "QUERY_STATE_FAILED"
  | "QUERY_STATE_CANCELED";

export type FinalState = "QUERY_STATE_SUCCESS" | "QUERY_STATE_FAILED" | "QUERY_STATE_CANCELED";

export type Tags = Readonly<Record<string, string | null>>;

/** Values bound to a statement: by position (`?`, `$1`) or by name (`$name`). */
export type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** How the wire names the kind of values in a column. */
export type ColumnKind = "string" | "number" | "date" | "object" | "array" | "boolean" | "unknown";

export interface ResultColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Name of the type as the engine writes it, such as `DECIMAL(18,2)`: shown to callers, never part of SQL. */
  readonly engineType: string;
  /** Type of the values in the stored file, in the notation of DuckDB. @default the same text as `engineType` */
  readonly storedType?: string;
}

/** What a success left behind. */
export interface RunResult {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly totalBytes: number;
}

export interface RunFailure {
  readonly name: string;
  readonly message: string;
  readonly data: QueryRunErrorData;
}

/** One query run as the service knows it; {@link file://./wire.ts} says how a caller sees it. */
export interface RunRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly sqlStatementId: string;
  readonly dataSourceId: string;
  /** Hash of the reuse key; runs with an equal one would give the same result. */
  readonly reuseKey: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  readonly statementTimeoutSeconds: number;
  /** The W3C trace that the call which made the run belongs to. */
  readonly traceparent?: string | undefined;
  readonly state: RunState;
  /** How often an executor has taken this run; the first is 1, and 0 means never. */
  readonly attempt: number;
  /** Id of the query on the engine, for one that goes on when the service has died; null or absent without one. */
  readonly engineQueryId?: string | null;
  /** How many of those executors died over it. */
  readonly lostWorkers: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly startedAt: Instant | null;
  readonly queryRunningEndedAt: Instant | null;
  readonly queryStreamingEndedAt: Instant | null;
  readonly endedAt: Instant | null;
  /** The longest retention that any attached request asked for. */
  readonly resultTTLHours: number;
  readonly expiresAt: Instant | null;
  readonly archivedAt: Instant | null;
  readonly result: RunResult | null;
  readonly failure: RunFailure | null;
}

/** One call of `createQueryRun`; several requests may share a run. */
export interface RequestRecord {
  readonly id: string;
  readonly queryRunId: string;
  readonly sqlStatementId: string;
  readonly userId: string;
  readonly tags: Tags;
  readonly maxAgeMinutes: number;
  readonly resultTTLHours: number;
  readonly triggeredQueryRun: boolean;
  readonly idempotencyKey: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The text of a statement, kept once. All else that is told of it is of a request and the run that answers it. */
export interface StatementRecord {
  readonly id: string;
  readonly sql: string;
  /** SHA-256 of the SQL text, in hexadecimal. */
  readonly statementHash: string;
}

/** What a new run is made of; everything else follows from its life. */
export type NewRun = Pick<
  RunRecord,
  | "id"
  | "tenantId"
  | "userId"
  | "sqlStatementId"
  | "dataSourceId"
  | "reuseKey"
  | "parameters"
  | "tags"
  | "statementTimeoutSeconds"
  | "traceparent"
  | "resultTTLHours"
>;

export function createRun(run: NewRun, now: Instant): RunRecord {
  return {
    ...run,
    state: "QUERY_STATE_READY",
    attempt: 0,
    lostWorkers: 0,
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    queryRunningEndedAt: null,
    queryStreamingEndedAt: null,
    endedAt: null,
    expiresAt: null,
    archivedAt: null,
    result: null,
    failure: null,
  };
}

/** Members of a new request that the caller decides; everything else follows from the run that answers it. */
export type NewRequest = Pick<
  RequestRecord,
  "id" | "userId" | "tags" | "maxAgeMinutes" | "resultTTLHours" | "idempotencyKey"
>;

/** Creates the record of a request. @param triggeredQueryRun True if the run was created for the request. */
export function createRequest(
  request: NewRequest,
  { id: queryRunId, sqlStatementId }: RunRecord,
  triggeredQueryRun: boolean,
  now: Instant,
): RequestRecord {
  return { ...request, queryRunId, sqlStatementId, triggeredQueryRun, createdAt: now, updatedAt: now };
}

const finalStates: ReadonlySet<string> = new Set<FinalState>([
  "QUERY_STATE_SUCCESS",
  "QUERY_STATE_FAILED",
  "QUERY_STATE_CANCELED",
]);

export function isFinal(state: RunState): state is FinalState {
  return finalStates.has(state);
}

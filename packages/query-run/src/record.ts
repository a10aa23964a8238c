import type { QueryRunErrorData } from "@quern/protocol/types";
import type { RunUpload } from "./upload.ts";

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

/** Tags of a request or run: names that the caller chose, each with a text or null. */
export type Tags = Readonly<Record<string, string | null>>;

/**
 * Parameters of a statement: by position (`?`, `$1`) or by name (`$name`). A number that a double cannot hold is an
 * object with its text; see {@link exactNumberOf}.
 */
export type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Returns the text of a number that a double cannot hold, such as `{ "exactNumber": "9007199254740993" }`; else undefined. */
export function exactNumberOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("exactNumber" in value)) return undefined;
  return typeof value.exactNumber === "string" ? value.exactNumber : undefined;
}

/** Returns true for the text of a number that is -0.0. */
export function isNegativeZero(exact: string): boolean {
  return /^-[0.]+$/.test(exact);
}

/** Kind of the values in a column, as sent to callers. */
export type ColumnKind = "string" | "number" | "date" | "object" | "array" | "boolean" | "unknown";

export interface ResultColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Type name of the engine, such as `DECIMAL(18,2)`: shown to callers, never part of SQL. */
  readonly engineType: string;
  /**
   * Type of the values, in the notation of DuckDB. The Parquet file may store them in another form.
   * @default the value of `engineType`
   */
  readonly storedType?: string;
}

/** Values of a small result: for each row, the JSON text of each value as pages show it. */
export type Cells = readonly (readonly string[])[];

/** Result of a run that succeeded. */
export interface RunResult {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly totalBytes: number;
  /** Undefined if the result store has the rows in a file, and once the result has expired. */
  readonly cells?: Cells | undefined;
}

/** Failure of a run. */
export interface RunFailure {
  readonly name: string;
  readonly message: string;
  readonly data: QueryRunErrorData;
}

/** Query run as the service stores it. `toQueryRun` converts it to its wire format. */
export interface RunRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly sqlStatementId: string;
  readonly dataSourceId: string;
  /** Hash of the reuse key: the result of a run can answer requests with an equal key. */
  readonly reuseKey: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  /** Files that the statement reads as tables. @default none */
  readonly uploads?: readonly RunUpload[] | undefined;
  readonly statementTimeoutSeconds: number;
  /** W3C trace context of the call that created the run. */
  readonly traceparent?: string | undefined;
  readonly state: RunState;
  /** Number of times that a worker has claimed the run. */
  readonly attempt: number;
  /** Id of the query on its engine, by which a new service process can cancel it; null or absent without one. */
  readonly engineQueryId?: string | null;
  /** Number of counted losses: the engine, process or server of an attempt ended, or the lease of the run expired. */
  readonly lostWorkers: number;
  /** Number of servers that were lost in a row, of several that share a store. @default 0 */
  readonly lostServers?: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly startedAt: Instant | null;
  readonly queryRunningEndedAt: Instant | null;
  readonly queryStreamingEndedAt: Instant | null;
  readonly endedAt: Instant | null;
  /** Longest retention among the requests of the run, in hours. */
  readonly resultTTLHours: number;
  readonly expiresAt: Instant | null;
  readonly archivedAt: Instant | null;
  readonly result: RunResult | null;
  readonly failure: RunFailure | null;
}

/** Call of `createQueryRun`. Several requests may share a run. */
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

/**
 * Text of a statement, stored once for each tenant. The other members of a statement on the wire come from a request
 * and its run.
 */
export interface StatementRecord {
  readonly id: string;
  readonly sql: string;
  /** SHA-256 of the SQL text, hexadecimal. */
  readonly statementHash: string;
}

/** Members of a new run that the caller of `createRun` sets. */
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
  | "uploads"
  | "statementTimeoutSeconds"
  | "traceparent"
  | "resultTTLHours"
>;

/** Creates the record of a queued run. */
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

/** Members of a new request that the caller of `createRequest` sets. */
export type NewRequest = Pick<
  RequestRecord,
  "id" | "userId" | "tags" | "maxAgeMinutes" | "resultTTLHours" | "idempotencyKey"
>;

/**
 * Creates the record of a request.
 * @param triggeredQueryRun True if the run was created for the request.
 */
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

/** Tells whether a run in this state has ended. */
export function isFinal(state: RunState): state is FinalState {
  return finalStates.has(state);
}

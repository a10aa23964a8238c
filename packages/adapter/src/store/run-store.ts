import type { Instant, NewRun, RequestRecord, RunRecord, StatementRecord } from "@quern/query-run/record";
import type { SubmissionRefusal } from "@quern/query-run/submission";
import type { Refusal, RunEvent, Transition } from "@quern/query-run/transition";
import type { WaitReasons } from "@quern/query-run/wire";

/** Call of `createQueryRun`, with the facts that the store needs to choose the run that answers it. */
export interface Submission {
  readonly run: NewRun;
  readonly request: Pick<RequestRecord, "id" | "maxAgeMinutes" | "resultTTLHours">;
  readonly statement: StatementRecord;
  readonly caps: RunCaps;
  readonly idempotency: Idempotency | null;
}

/** Caps on runs. A new run that would exceed a cap waits or is refused. A missing cap is no cap. */
interface RunCaps {
  /** Maximum number of unfinished runs of the tenant; a further one is refused. */
  readonly maxUnfinishedRuns?: number | undefined;
  /** Maximum number of runs of the tenant that execute at the same time; the others wait. */
  readonly maxRunningRuns?: number | undefined;
  /**
   * Maximum number of waiting runs of all tenants. A tenant without a waiting run is admitted up to twice the number.
   */
  readonly maxQueuedRuns?: number | undefined;
  /** Stored bytes of the tenant (see `TenantStore.storedBytes`) from which a new run is refused. */
  readonly maxStoredBytes?: number | undefined;
  /** True refuses a new run, because the disk of the service is too full. @default false */
  readonly isDiskFull?: boolean | undefined;
}

/**
 * Identity of a call. For 24 hours, a call of the same API key with the same `key` and `bodyHash` gets the request of
 * the first call. One with the same `key` and another `bodyHash` has other params, and is refused as
 * `idempotencyMismatch`.
 */
export interface Idempotency {
  readonly apiKeyId: string;
  readonly key: string;
  readonly bodyHash: string;
}

export type SubmissionOutcome =
  | {
      readonly outcome: "accepted";
      readonly run: RunRecord;
      readonly request: RequestRecord;
      readonly statement: StatementRecord;
      /** True if an earlier call with the same idempotency key created the request. */
      readonly repeated: boolean;
    }
  | SubmissionRefusal;

/** Filter and page of a list of runs. */
export interface RunQuery {
  readonly tenantId: string;
  /** Lists the runs that this user requested. Undefined is all runs of the tenant. */
  readonly userId: string | undefined;
  /** Null is all sources. */
  readonly sources: readonly string[] | null;
  readonly states: readonly string[] | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly since: Instant | undefined;
  /** Lists only runs created before this time. */
  readonly until: Instant | undefined;
  /** Lists only runs whose statement contains this text, in upper or lower case. */
  readonly text: string | undefined;
  readonly limit: number;
  /** Lists only runs after this one in list order. */
  readonly after: RunPosition | undefined;
}

/** Position of a run in list order. */
export type RunPosition = Pick<RunRecord, "createdAt" | "id">;

/** Part of a list of runs. */
export interface RunPage {
  /**
   * JSON text of an array of the runs in their wire format, in UTF-8. A store can make it outside the event loop. The
   * service takes over the bytes, and frees their buffer once they are sent, so a store makes them for each call.
   */
  readonly json: Uint8Array;
  /**
   * Position of the last run, or of the last one that was searched for a text; null if no run follows it. A page of a
   * search can have fewer runs than its limit, because the search is bounded (`@quern/query-run/text-search`).
   */
  readonly next: RunPosition | null;
}

/** Numbers of the unfinished runs of a user. */
export interface UnfinishedRuns {
  readonly userId: string;
  readonly running: number;
  readonly queued: number;
}

/** Request, and the run that answers it. */
export interface AnsweredRequest {
  readonly request: RequestRecord;
  readonly run: RunRecord;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  readonly sql: string;
}

/** Request to withdraw. */
export interface RequestOfRun {
  readonly runId: string;
  readonly requestId: string;
  /** User who must have made the request; undefined is any user. */
  readonly userId: string | undefined;
}

/** Idempotency key of a `createQueryRun` call that the client withdraws before it has the answer. */
export type WithdrawnKey = Pick<Idempotency, "apiKeyId" | "key">;

/**
 * Exclusive right to execute a run for a limited time. A run whose owner does not renew the lease in time counts as
 * lost.
 */
export interface Lease {
  /** Identity of the server, different for each start. */
  readonly owner: string;
  /** Duration in milliseconds. */
  readonly ms: number;
}

/** Selects data sources by their names: the named ones, or all others. */
export interface SourceFilter {
  readonly names: readonly string[];
  /** True selects the named sources; false selects all others. */
  readonly isIncluded: boolean;
}

/** Outcome of a withdrawal. */
export type Withdrawal =
  /** `ended` is true if this call ended the run. */
  | { readonly accepted: true; readonly run: RunRecord; readonly ended: boolean }
  | { readonly accepted: false; readonly refusal: Refusal };

/** Lost run, before (`lost`) and after (`run`) it was reclaimed: queued again, or failed after too many losses. */
export interface ReclaimedRun {
  readonly lost: RunRecord;
  readonly run: RunRecord;
}

export interface UserOfTenant {
  readonly tenantId: string;
  readonly userId: string;
}

/** Numbers of records that were erased. */
export interface ErasedRecords {
  /** Runs that were deleted, because no other user had requested them. */
  readonly runs: number;
  /** Runs among them that were executing. */
  readonly executingRuns: number;
  /** Runs that other users had requested, too. They are kept without the requests, name and tags of the user. */
  readonly sharedRuns: number;
  /** Statements that were deleted, because no other run has them. */
  readonly statements: number;
}

/**
 * Store and queue of runs. Each change of a run, except for {@link RunStore.erase}, is a transition of
 * `@quern/query-run`, applied by compare-and-set on its state and attempt, at the time of the store's clock.
 */
export interface RunStore {
  /** Answers a submission with an existing run or a new one, in one transaction. */
  submit(submission: Submission): Promise<SubmissionOutcome>;
  run(id: string): Promise<RunRecord | undefined>;
  statement(tenantId: string, id: string): Promise<StatementRecord | undefined>;
  /** Returns whether a user has requested a run, which several users may share. */
  hasRequested(userId: string, run: RunRecord): Promise<boolean>;
  /**
   * Returns, of the requests for a statement, the latest one whose run succeeded; if there is none, the latest request.
   * Returns undefined if no visible request exists. A store may search the newest 100 requests only.
   * @param visible user and sources of the requests to search
   */
  latestRequest(
    sqlStatementId: string,
    visible: Pick<RunQuery, "userId" | "sources">,
  ): Promise<AnsweredRequest | undefined>;
  /**
   * Lists runs, the newest first, as `toQueryRun` writes them.
   * @param reasons reasons why queued runs do not start at present
   */
  list(query: RunQuery, now: Instant, reasons: WaitReasons): Promise<RunPage>;
  /** Applies an event to a run. Returns undefined for an unknown run. */
  apply(runId: string, event: RunEvent): Promise<Transition | undefined>;
  /**
   * Claims the next run that the cap of its tenant allows to execute. Tenants are served round-robin, and so are the
   * users of a tenant; the runs of a user are claimed in the order of their creation. Returns undefined if no run may
   * start.
   * @param sources data sources whose runs may start. @default all
   */
  claim(lease: Lease, sources?: SourceFilter): Promise<ClaimedRun | undefined>;
  /**
   * Counts the unfinished runs of a tenant by the user who created them, on all servers. Its cost does not depend on the
   * number of runs that have ended.
   */
  unfinished(tenantId: string): Promise<readonly UnfinishedRuns[]>;
  /** Counts the runs of a tenant that execute, on all servers. */
  executing(tenantId: string): Promise<number>;
  /**
   * Returns the position of a waiting run in the order in which the runs of its tenant are claimed, from 1. A run that
   * is queued later can be claimed before it. Returns undefined if the run no longer waits. The cost does not depend on
   * the number of runs that have ended.
   */
  queuePosition(run: RunRecord): Promise<number | undefined>;
  /** Renews the leases of executing runs. Returns the ids of the runs that the owner still has. */
  renew(lease: Lease, runIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Reclaims runs whose lease has expired, in one transaction: each is queued again, or fails after too many losses. If
   * several callers reclaim at the same time, each lost run is returned to one of them.
   * @param reason cause of the loss, for the failure of a run
   * @param working ids of runs that the caller executes: they are not lost, even if their lease has expired
   * @param maxLostServers number of servers lost in a row at which a run fails, for one of several servers: their
   *   losses do not count as lost workers. @default each loss counts as a lost worker
   */
  reclaim(reason: string, working: readonly string[], maxLostServers?: number): Promise<readonly ReclaimedRun[]>;
  /**
   * Withdraws a request, and cancels the run if no other request remains, in one transaction, so that no request joins
   * in between. Returns undefined if the run has no such request of the user.
   */
  withdraw(request: RequestOfRun): Promise<Withdrawal | undefined>;
  /**
   * Returns the request that was created with a key in the last 24 hours. If there is none, remembers the key as
   * withdrawn for 24 hours, in which a `submit` with it creates a canceled run.
   */
  withdrawKey(key: WithdrawnKey): Promise<RequestRecord | undefined>;
  /**
   * Lists successful runs whose result has expired and is not archived. A store may return only a part of a long list.
   */
  expired(): Promise<readonly RunRecord[]>;
  /**
   * Deletes runs that ended more than `retentionMs` ago and have no result any more, with their requests and the
   * statements that no other run has.
   * @param limit maximum number of runs to delete
   * @returns the number of deleted runs
   */
  purge(retentionMs: number, limit: number): Promise<number>;
  /**
   * Erases the requests, tags and idempotency keys of a user, the runs that only this user had requested, and their
   * statements. A run of the user that others share gets the user and the tags of its first other request. A shared run
   * whose other requests are all withdrawn is canceled, unless it has ended. The lease of a deleted run cannot be renewed.
   * @param limit maximum number of runs, deleted or shared; if so many were erased, there may be more
   */
  erase(user: UserOfTenant, limit: number): Promise<ErasedRecords>;
}

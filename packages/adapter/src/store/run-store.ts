import type { Instant, NewRun, RequestRecord, RunRecord, StatementRecord } from "@quern/query-run/record";
import type { Refusal, RunEvent, Transition } from "@quern/query-run/transition";

/** One call of `createQueryRun`, with all that the store needs to decide which run answers it. */
export interface Submission {
  readonly run: NewRun;
  readonly request: Pick<RequestRecord, "id" | "maxAgeMinutes" | "resultTTLHours">;
  readonly statement: StatementRecord;
  readonly caps: RunCaps;
  readonly idempotency: Idempotency | null;
}

/** How many runs there may be before a new one has to wait or is refused; a missing cap is no cap. */
interface RunCaps {
  /** Unfinished runs of the tenant. */
  readonly maxUnfinishedRuns?: number | undefined;
  /** Runs of the tenant that execute at once; the others wait. */
  readonly maxRunningRuns?: number | undefined;
  /** Runs of all tenants that wait; a tenant of which none waits is let in until they are twice as many. */
  readonly maxQueuedRuns?: number | undefined;
}

/** Calls of one API key with equal keys are one call, for a day; `bodyHash` tells whether they say the same. */
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
      /** Whether an earlier call with its idempotency key was answered so. */
      readonly repeated: boolean;
    }
  /** The unfinished runs of the tenant, and how many it may have now. */
  | { readonly outcome: "tooManyRuns"; readonly count: number; readonly cap: number }
  | { readonly outcome: "idempotencyMismatch" };

export interface RunQuery {
  readonly tenantId: string;
  /** Those that this user asked for. Undefined: of all users of the tenant. */
  readonly userId: string | undefined;
  /** Null: on all sources. */
  readonly sources: readonly string[] | null;
  readonly states: readonly string[] | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly since: Instant | undefined;
  readonly limit: number;
  /** Only runs that come after this one in the order of the list. */
  readonly after: { readonly createdAt: Instant; readonly id: string } | undefined;
}

/** What somebody asked for, and the run that answers it. */
export interface AnsweredRequest {
  readonly request: RequestRecord;
  readonly run: RunRecord;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  readonly sql: string;
}

export interface RequestOfRun {
  readonly runId: string;
  readonly requestId: string;
  /** Undefined: whoever's it is. */
  readonly userId: string | undefined;
}

/** Key of a create that is withdrawn before its answer is known. */
export type WithdrawnKey = Pick<Idempotency, "apiKeyId" | "key">;

/** The right to work on a run, for a while: an owner that stops renewing it is taken for dead. */
export interface Lease {
  /** Who works: another name for each start of a server. */
  readonly owner: string;
  readonly ms: number;
}

/** Outcome of a withdrawal. */
export type Withdrawal =
  /** `ended` says whether this call ended the run. */
  | { readonly accepted: true; readonly run: RunRecord; readonly ended: boolean }
  | { readonly accepted: false; readonly refusal: Refusal };

/** A run whose worker was lost, as it was, and as it is: queued again, or failed after too many losses. */
export interface ReclaimedRun {
  readonly lost: RunRecord;
  readonly run: RunRecord;
}

/**
 * Where runs are kept; it is also the queue. Every change of a run is a transition of `@quern/query-run`, applied by
 * compare-and-set on its state and attempt, at the time of the store's clock.
 */
export interface RunStore {
  /** Answers a request with an existing run or a new one, in one transaction. */
  submit(submission: Submission): Promise<SubmissionOutcome>;
  run(id: string): Promise<RunRecord | undefined>;
  statement(tenantId: string, id: string): Promise<StatementRecord | undefined>;
  /** Whether a user has asked for a run, which several may share. */
  hasRequested(userId: string, run: RunRecord): Promise<boolean>;
  /** The latest request for a statement that has a result, or else the latest one; of one user or of all, on some sources or on all. */
  latestRequest(sqlStatementId: string, of: Pick<RunQuery, "userId" | "sources">): Promise<AnsweredRequest | undefined>;
  /** The newest first. */
  list(query: RunQuery): Promise<readonly RunRecord[]>;
  /** Undefined when there is no such run. */
  apply(runId: string, event: RunEvent): Promise<Transition | undefined>;
  /**
   * Takes the next run that its tenant's cap lets execute. The turn goes round the tenants who wait, then round the
   * users of the tenant; each user's runs are taken the oldest first.
   */
  claim(lease: Lease): Promise<ClaimedRun | undefined>;
  /** Lengthens the leases on runs that execute; the ids of those that the owner still has. */
  renew(lease: Lease, runIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Takes runs whose lease is over from their workers, in one transaction: each is queued again, or fails after too many
   * losses. Of several callers at once, one gets a run.
   * @param reason how the workers were lost, for the failure of a run
   * @param working ids of runs that the caller works on: none is lost, though the caller was held up for long
   */
  reclaim(reason: string, working: readonly string[]): Promise<readonly ReclaimedRun[]>;
  /**
   * Withdraws a request, and cancels the run with its last one: in one transaction, so that no request joins in between.
   * Undefined when the run has no such request of the user, or of anybody where none is named.
   */
  withdraw(request: RequestOfRun): Promise<Withdrawal | undefined>;
  /**
   * Returns the request that was created with a key. If there is none, remembers the key as withdrawn for as long as
   * idempotency keys are kept, so that a later `submit` with it makes a run that is canceled.
   */
  withdrawKey(key: WithdrawnKey): Promise<RequestRecord | undefined>;
  /** Successes whose retention is over and whose result is not archived. */
  expired(): Promise<readonly RunRecord[]>;
  /**
   * Removes runs that ended more than `keptMs` ago and have no result any more, with their requests and the statements
   * that no other run has. Removes at most `limit` runs; how many it removed.
   */
  forget(keptMs: number, limit: number): Promise<number>;
}

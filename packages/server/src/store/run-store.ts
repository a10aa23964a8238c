import type { Instant, NewRun, RequestRecord, RunRecord, RunState, StatementRecord } from "@quern/query-run/record";
import type { RunEvent, Transition } from "@quern/query-run/transition";

/** One call of `createQueryRun`, with all that the store needs to decide which run answers it. */
export interface Submission {
  readonly run: NewRun;
  readonly request: Pick<RequestRecord, "id" | "maxAgeMinutes" | "resultTTLHours">;
  readonly statement: Pick<StatementRecord, "id" | "sql" | "statementHash">;
  /** Most unfinished runs of the tenant; undefined where there is no cap. */
  readonly maxUnfinishedRuns: number | undefined;
  readonly idempotency: Idempotency | null;
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
    }
  | { readonly outcome: "tooManyRuns"; readonly unfinishedRuns: number }
  | { readonly outcome: "idempotencyMismatch" };

export interface RunQuery {
  readonly tenantId: string;
  readonly userId: string;
  readonly states: readonly string[] | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly since: Instant | undefined;
  readonly limit: number;
  /** Only runs that come after this one in the order of the list. */
  readonly after: { readonly createdAt: Instant; readonly id: string } | undefined;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  readonly sql: string;
}

/**
 * Where runs are kept; it is also the queue. Every change of a run is a transition of `@quern/query-run`, applied by
 * compare-and-set on its state and attempt. Parallel stores have parallel folders here.
 */
export interface RunStore {
  /** Answers a request with an existing run or a new one, in one transaction. */
  submit(submission: Submission, now: Instant): Promise<SubmissionOutcome>;
  run(id: string): Promise<RunRecord | undefined>;
  statement(tenantId: string, id: string): Promise<StatementRecord | undefined>;
  /** The newest first. */
  list(query: RunQuery): Promise<readonly RunRecord[]>;
  /** Undefined when there is no such run. */
  apply(runId: string, event: RunEvent, now: Instant): Promise<Transition | undefined>;
  /** Takes the run that has waited longest. */
  claim(now: Instant): Promise<ClaimedRun | undefined>;
  /**
   * Withdraws a request, and cancels the run with its last one: in one transaction, so that no request joins in between.
   * Undefined when the run has no such request.
   */
  withdraw(runId: string, requestId: string, now: Instant): Promise<Transition | undefined>;
  inState(states: readonly RunState[]): Promise<readonly RunRecord[]>;
  /** Successes whose retention is over and whose result is not archived. */
  expired(now: Instant): Promise<readonly RunRecord[]>;
}

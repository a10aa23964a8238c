import { isRemembered } from "./idempotency.ts";
import { type Instant, isFinal, type RequestRecord, type RunRecord } from "./record.ts";
import { chooseRun } from "./reuse.ts";

/**
 * Facts for the decision about one call of `createQueryRun`. A member is read only if the decision depends on it, so
 * that a store may implement members as getters and avoid queries.
 */
export interface SubmissionFacts {
  readonly maxAgeMinutes: number;
  /** Latest request of the same API key with the idempotency key of the call; undefined if there is none. */
  readonly earlier: EarlierRequest | undefined;
  /** Time at which the idempotency key was withdrawn before this call arrived; undefined if it was not withdrawn. */
  readonly withdrawnAt: Instant | undefined;
  /** Runs with the reuse key of the call. They need not include expired results. */
  readonly candidates: Iterable<RunRecord>;
  /** Caps on runs; undefined if there are no caps. */
  readonly capacity: Capacity | undefined;
}

/** Request of an earlier call with the same idempotency key. */
export interface EarlierRequest {
  readonly request: RequestRecord;
  /** False if a member other than `waitSeconds` and `results` differs between the earlier call and this one. */
  readonly isSame: boolean;
}

/** Caps on runs, and the runs that count against them. A missing cap does not limit. */
export interface Capacity {
  /** Cap on the unfinished runs of the tenant. */
  readonly maxUnfinishedRuns?: number | undefined;
  /** Cap on the queued runs of all tenants; the first queued run of a tenant is accepted up to twice the cap. */
  readonly maxQueuedRuns?: number | undefined;
  /** Number of unfinished runs of the tenant. */
  readonly unfinishedRuns: number;
  /** Number of queued runs of all tenants. */
  readonly queuedRuns: number;
  /** True if a run of the tenant is queued. */
  readonly isTenantQueued: boolean;
  /** Space for results; undefined does not limit. */
  readonly storage?: Storage | undefined;
}

/** Space for the results of new runs. */
export interface Storage {
  /** True if the disk of the service is too full for new runs. */
  readonly isDiskFull: boolean;
  /** Quota of the tenant in bytes. A missing quota does not limit. */
  readonly maxStoredBytes?: number | undefined;
  /** Bytes of the stored results of the tenant. */
  readonly storedBytes: number;
}

/** Answer to a call of `createQueryRun`. */
export type SubmissionDecision =
  /** The request of an earlier call with the idempotency key. */
  | { readonly decision: "repeat"; readonly request: RequestRecord }
  /** A stored result or an unfinished run. */
  | { readonly decision: "reuse" | "join"; readonly run: RunRecord }
  /** A new run. A withdrawn run is canceled immediately and does not count against the caps. */
  | { readonly decision: "new"; readonly isWithdrawn: boolean }
  | { readonly decision: "refuse"; readonly refusal: SubmissionRefusal };

/** Reason why a call is refused. */
export type SubmissionRefusal =
  | { readonly outcome: "idempotencyMismatch" }
  /**
   * Number of unfinished runs of the tenant, and its cap. If the queue of all tenants is full, the cap is the same
   * number.
   */
  | { readonly outcome: "tooManyRuns"; readonly count: number; readonly cap: number }
  /** The disk of the service is too full for new runs. */
  | { readonly outcome: "storageFull" }
  /** Bytes of the stored results of the tenant, and its quota. */
  | { readonly outcome: "storageQuotaExceeded"; readonly storedBytes: number; readonly maxStoredBytes: number };

/** Decides how to answer a call of `createQueryRun`. */
export function decideSubmission(facts: SubmissionFacts, now: Instant): SubmissionDecision {
  const { earlier, maxAgeMinutes } = facts;
  if (earlier !== undefined && isRemembered(earlier.request.createdAt, now)) {
    if (earlier.isSame) return { decision: "repeat", request: earlier.request };
    return { decision: "refuse", refusal: { outcome: "idempotencyMismatch" } };
  }
  const { withdrawnAt } = facts;
  if (withdrawnAt !== undefined && isRemembered(withdrawnAt, now)) return { decision: "new", isWithdrawn: true };
  const run = maxAgeMinutes === 0 ? undefined : chooseRun(facts.candidates, maxAgeMinutes, now);
  if (run !== undefined) return { decision: isFinal(run.state) ? "reuse" : "join", run };
  const { capacity } = facts;
  const refusal = capacity && (capacityRefusal(capacity) ?? storageRefusal(capacity.storage));
  return refusal === undefined ? { decision: "new", isWithdrawn: false } : { decision: "refuse", refusal };
}

/** Returns the refusal of a new run that would exceed the cap of the tenant, or else the cap of all tenants. */
function capacityRefusal(capacity: Capacity): SubmissionRefusal | undefined {
  const { maxUnfinishedRuns, maxQueuedRuns } = capacity;
  if (maxUnfinishedRuns !== undefined && capacity.unfinishedRuns >= maxUnfinishedRuns)
    return { outcome: "tooManyRuns", count: capacity.unfinishedRuns, cap: maxUnfinishedRuns };
  if (maxQueuedRuns === undefined) return undefined;
  // A tenant without queued runs is admitted up to twice the cap, so that one tenant cannot fill the queue alone.
  const cap = capacity.isTenantQueued ? maxQueuedRuns : 2 * maxQueuedRuns;
  if (capacity.queuedRuns < cap) return undefined;
  // The error reports the runs of the tenant, and never the number of other tenants' runs.
  const count = capacity.unfinishedRuns;
  return { outcome: "tooManyRuns", count, cap: count };
}

/** Returns the refusal of a new run whose result would have no space. */
function storageRefusal(storage: Storage | undefined): SubmissionRefusal | undefined {
  if (storage === undefined) return undefined;
  if (storage.isDiskFull) return { outcome: "storageFull" };
  const { maxStoredBytes } = storage;
  if (maxStoredBytes === undefined) return undefined;
  const { storedBytes } = storage;
  return storedBytes < maxStoredBytes ? undefined : { outcome: "storageQuotaExceeded", storedBytes, maxStoredBytes };
}

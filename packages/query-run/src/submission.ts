import { isRemembered } from "./idempotency.ts";
import { isAtRunLimit } from "./limits.ts";
import { type Instant, isFinal, type RequestRecord, type RunRecord } from "./record.ts";
import { chooseRun } from "./reuse.ts";

/**
 * State that decides about one call of `createQueryRun`. A member is read only where the decision depends on it, so that a
 * store may implement members as getters and run no query for the others.
 */
export interface SubmissionFacts {
  readonly maxAgeMinutes: number;
  /** Latest request of the same API key with the idempotency key of the call. */
  readonly earlier: EarlierRequest | undefined;
  /** Time at which the idempotency key was withdrawn before its create arrived. */
  readonly withdrawnAt: Instant | undefined;
  /** Runs with the reuse key of the call; results that have expired may be left out. */
  readonly candidates: Iterable<RunRecord>;
  /** Undefined where no run is ever refused. */
  readonly capacity: Capacity | undefined;
}

export interface EarlierRequest {
  readonly request: RequestRecord;
  /** False if the earlier call had other members than this one. */
  readonly isSame: boolean;
}

/** Caps on runs, and the runs that count against them; a missing cap is no cap. */
export interface Capacity {
  /** Cap on the unfinished runs of the tenant. */
  readonly maxUnfinishedRuns?: number | undefined;
  /** Cap on the queued runs of all tenants; the first queued run of a tenant is accepted up to twice the cap. */
  readonly maxQueuedRuns?: number | undefined;
  /** Unfinished runs of the tenant. */
  readonly unfinishedRuns: number;
  /** Queued runs of all tenants. */
  readonly queuedRuns: number;
  /** True if a run of the tenant is queued. */
  readonly isTenantQueued: boolean;
}

export type SubmissionDecision =
  /** An earlier call with the idempotency key has made the request. */
  | { readonly decision: "repeat"; readonly request: RequestRecord }
  /** A stored result, or a run in progress, answers the request. */
  | { readonly decision: "reuse" | "join"; readonly run: RunRecord }
  /** A new run; a withdrawn one is canceled at once and counts against no cap. */
  | { readonly decision: "new"; readonly isWithdrawn: boolean }
  | { readonly decision: "refuse"; readonly refusal: SubmissionRefusal };

export type SubmissionRefusal =
  | { readonly outcome: "idempotencyMismatch" }
  /** The unfinished runs of the tenant, and how many it may have now. */
  | { readonly outcome: "tooManyRuns"; readonly count: number; readonly cap: number };

/** Decides how a call of `createQueryRun` is answered. */
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
  const refusal = capacityRefusal(facts.capacity);
  return refusal === undefined ? { decision: "new", isWithdrawn: false } : { decision: "refuse", refusal };
}

/** Checks the cap of the tenant, then the cap of all tenants. */
function capacityRefusal(capacity: Capacity | undefined): SubmissionRefusal | undefined {
  if (capacity === undefined) return undefined;
  const { maxUnfinishedRuns, maxQueuedRuns } = capacity;
  if (maxUnfinishedRuns !== undefined) {
    const count = capacity.unfinishedRuns;
    if (isAtRunLimit(count, maxUnfinishedRuns)) return { outcome: "tooManyRuns", count, cap: maxUnfinishedRuns };
  }
  if (maxQueuedRuns === undefined) return undefined;
  // The first queued run of each tenant has extra capacity, so that no tenant's runs keep out those of the others.
  const cap = capacity.isTenantQueued ? maxQueuedRuns : 2 * maxQueuedRuns;
  if (!isAtRunLimit(capacity.queuedRuns, cap)) return undefined;
  // A caller is told the number of its own runs, never the number of other tenants' runs.
  const count = capacity.unfinishedRuns;
  return { outcome: "tooManyRuns", count, cap: count };
}

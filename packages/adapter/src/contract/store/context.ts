import type { Instant, RunRecord } from "@quern/query-run/record";
import type { ClaimedRun, Lease, RunQuery, Submission } from "../../store/run-store.ts";
import type { Store } from "../../store/store.ts";
import { type Accepted, accepted } from "./submission.ts";

/** Empty store for one case. The case sets its clock. */
export interface StoreContext {
  readonly store: Store;
  /** Sets the clock of the store, which then stands still. The clock may go back. */
  setTime(now: Instant): void | Promise<void>;
}

/** Returns the size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Default time of the cases. */
export const t0: Instant = Date.UTC(2026, 10, 20);

export const lease: Lease = { owner: "server", ms: 30_000 };

export const sampleResult = {
  columns: [{ name: "__proto__", kind: "number" as const, engineType: "BIGINT" }],
  rowCount: 1,
  totalBytes: 9,
};

/** Query of a list of all runs of the tenant of the cases. */
export const allRuns: RunQuery = {
  tenantId: "tenant",
  userId: undefined,
  sources: null,
  states: undefined,
  tags: {},
  since: undefined,
  until: undefined,
  text: undefined,
  limit: 10,
  after: undefined,
};

/** Sets the clock and submits a call. @throws if the store refuses it */
export async function submitAt(context: StoreContext, each: Submission, now = t0): Promise<Accepted> {
  await context.setTime(now);
  return accepted(await context.store.runs.submit(each));
}

export async function claimAt(context: StoreContext, now: Instant, by = lease): Promise<ClaimedRun | undefined> {
  await context.setTime(now);
  return context.store.runs.claim(by);
}

/**
 * Sets the clock, claims the next run and completes it successfully. Returns the run as it was claimed; undefined if no
 * run can be claimed.
 */
export async function succeedNext(context: StoreContext, now: Instant): Promise<RunRecord | undefined> {
  const claimed = await claimAt(context, now);
  if (claimed === undefined) return undefined;
  const { id, attempt } = claimed.run;
  await context.store.runs.apply(id, { type: "executed", attempt });
  await context.store.runs.apply(id, { type: "committed", attempt, result: sampleResult });
  return claimed.run;
}

import { describe, expect, it } from "vitest";
import { createRequest } from "../src/record.ts";
import { type Capacity, decideSubmission, type Storage, type SubmissionFacts } from "../src/submission.ts";
import { after, ready, succeeded, t0 } from "./fixture.ts";

const day = 86_400_000;
const asked = { id: "req_1", userId: "user_1", tags: {}, maxAgeMinutes: 0, resultTTLHours: 1, idempotencyKey: "k" };
const request = createRequest(asked, ready(), true, t0);
const nothing: SubmissionFacts = {
  maxAgeMinutes: 10,
  earlier: undefined,
  withdrawnAt: undefined,
  candidates: [],
  capacity: undefined,
};
const full: Capacity = { maxUnfinishedRuns: 0, unfinishedRuns: 0, queuedRuns: 0, isTenantQueued: false };
const result = succeeded({ id: "result" });
const running = after(ready({ id: "running" }), { type: "claimed" });
const canceled = after(ready({ id: "canceled" }), { type: "canceled" });
const at = t0 + 10_000;
const again = { decision: "repeat", request };
const reused = { decision: "reuse", run: result };
const diskFull = { outcome: "storageFull" };
const atQuota = { outcome: "storageQuotaExceeded", storedBytes: 5, maxStoredBytes: 5 };
const storage = (facts: Partial<Storage>): Partial<SubmissionFacts> => ({
  capacity: {
    unfinishedRuns: 0,
    queuedRuns: 0,
    isTenantQueued: false,
    storage: { isDiskFull: false, storedBytes: 0, ...facts },
  },
});
const joined = { decision: "join", run: running };
const created = { decision: "new", isWithdrawn: false };
const withdrawn = { decision: "new", isWithdrawn: true };
const mismatch = { decision: "refuse", refusal: { outcome: "idempotencyMismatch" } };
const tooMany = (count: number, cap: number) => ({
  decision: "refuse",
  refusal: { outcome: "tooManyRuns", count, cap },
});

describe("a submission", () => {
  it.each<[string, Partial<SubmissionFacts>, unknown, number?]>([
    ["creates a run where nothing else answers", {}, created],
    ["repeats an earlier call", { earlier: { request, isSame: true } }, { decision: "repeat", request }],
    ["repeats it for a day", { earlier: { request, isSame: true } }, { decision: "repeat", request }, t0 + day - 1],
    ["creates a run after that day", { earlier: { request, isSame: true } }, created, t0 + day],
    [
      "repeats an earlier call however full the service is",
      { earlier: { request, isSame: true }, capacity: full },
      {
        decision: "repeat",
        request,
      },
    ],
    ["refuses a key that was used with other members", { earlier: { request, isSame: false } }, mismatch],
    ["accepts the key with other members after a day", { earlier: { request, isSame: false } }, created, t0 + day],
    ["creates a canceled run for a withdrawn key", { withdrawnAt: t0 }, withdrawn],
    ["joins no run for a withdrawn key", { withdrawnAt: t0, candidates: [running, result] }, withdrawn],
    ["counts a withdrawn run against no cap", { withdrawnAt: t0, capacity: full }, withdrawn],
    ["remembers a withdrawal for a day", { withdrawnAt: t0 }, withdrawn, t0 + day - 1],
    ["forgets a withdrawal after that day", { withdrawnAt: t0 }, created, t0 + day],
    [
      "takes an earlier call over a withdrawal",
      { earlier: { request, isSame: true }, withdrawnAt: t0 },
      {
        decision: "repeat",
        request,
      },
    ],
    ["reuses a result", { candidates: [result] }, { decision: "reuse", run: result }],
    ["reuses a result rather than wait", { candidates: [running, result] }, { decision: "reuse", run: result }],
    ["joins a run in progress", { candidates: [running] }, joined],
    ["joins a queued run", { candidates: [ready()] }, { decision: "join", run: ready() }],
    ["joins where the result is too old", { candidates: [result, running] }, joined, at + 11 * 60_000],
    ["shares no canceled run", { candidates: [canceled] }, created],
    ["shares nothing with an age of 0", { maxAgeMinutes: 0, candidates: [running, result] }, created],
    ["shares a run however full the service is", { candidates: [running], capacity: full }, joined],
    [
      "is refused at the cap of the tenant",
      { capacity: { ...full, maxUnfinishedRuns: 2, unfinishedRuns: 2 } },
      tooMany(2, 2),
    ],
    ["is accepted below it", { capacity: { ...full, maxUnfinishedRuns: 2, unfinishedRuns: 1 } }, created],
    ["is refused by a cap of 0", { capacity: full }, tooMany(0, 0)],
    [
      "is refused where the queue is full, with the numbers of its own tenant",
      { capacity: { maxQueuedRuns: 5, unfinishedRuns: 3, queuedRuns: 5, isTenantQueued: true } },
      tooMany(3, 3),
    ],
    [
      "is accepted as the first of its tenant until the queue is twice as full",
      { capacity: { maxQueuedRuns: 5, unfinishedRuns: 0, queuedRuns: 9, isTenantQueued: false } },
      created,
    ],
    [
      "is refused then",
      { capacity: { maxQueuedRuns: 5, unfinishedRuns: 0, queuedRuns: 10, isTenantQueued: false } },
      tooMany(0, 0),
    ],
    [
      "is refused by the cap of the tenant before that of the queue",
      { capacity: { maxUnfinishedRuns: 4, maxQueuedRuns: 1, unfinishedRuns: 4, queuedRuns: 9, isTenantQueued: true } },
      tooMany(4, 4),
    ],
    ["is refused where the disk is full", storage({ isDiskFull: true }), { decision: "refuse", refusal: diskFull }],
    ["repeats a call on a full disk", { ...storage({ isDiskFull: true }), earlier: { request, isSame: true } }, again],
    ["shares a run on a full disk", { ...storage({ isDiskFull: true }), candidates: [running] }, joined],
    ["is accepted below the quota", storage({ maxStoredBytes: 5, storedBytes: 4 }), created],
    [
      "is refused at the quota",
      storage({ maxStoredBytes: 5, storedBytes: 5 }),
      { decision: "refuse", refusal: atQuota },
    ],
    ["reuses a result at the quota", { ...storage({ maxStoredBytes: 0 }), candidates: [result] }, reused],
    ["is accepted without a quota", storage({ storedBytes: 1e12 }), created],
    ["is accepted without caps", { capacity: { unfinishedRuns: 1e6, queuedRuns: 1e6, isTenantQueued: true } }, created],
  ])("%s", (_, facts, decision, now = at) => {
    expect(decideSubmission({ ...nothing, ...facts }, now)).toEqual(decision);
  });

  it("reads only the facts that it depends on, each once", () => {
    const reads: string[] = [];
    const watched = <T extends object>(facts: T): T =>
      new Proxy(facts, {
        get(target, name) {
          reads.push(String(name));
          return Reflect.get(target, name);
        },
      });
    const readsOf = (facts: Partial<SubmissionFacts>) => {
      reads.length = 0;
      decideSubmission(watched({ ...nothing, ...facts }), at);
      return reads.join(" ");
    };
    expect(readsOf({ earlier: { request, isSame: true } })).toBe("earlier maxAgeMinutes");
    expect(readsOf({ withdrawnAt: t0 })).toBe("earlier maxAgeMinutes withdrawnAt");
    expect(readsOf({ candidates: [result] })).toBe("earlier maxAgeMinutes withdrawnAt candidates");
    expect(readsOf({ maxAgeMinutes: 0 })).toBe("earlier maxAgeMinutes withdrawnAt capacity");
    expect(readsOf({ capacity: watched({ ...full, maxUnfinishedRuns: 1 }) })).toBe(
      "earlier maxAgeMinutes withdrawnAt candidates capacity maxUnfinishedRuns maxQueuedRuns unfinishedRuns storage",
    );
  });
});

it("a request has the statement of its run, and reports whether the run was created for it", () => {
  const run = ready({ id: "run_7", sqlStatementId: "st_7" });
  expect(createRequest(asked, run, false, at)).toEqual({
    ...asked,
    queryRunId: "run_7",
    sqlStatementId: "st_7",
    triggeredQueryRun: false,
    createdAt: at,
    updatedAt: at,
  });
});

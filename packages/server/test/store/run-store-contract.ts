import type { RunStore, Submission } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accepted, submission } from "./submission.ts";

export interface OpenStore {
  readonly store: RunStore;
  close(): Promise<void>;
}

const t0 = Date.UTC(2026, 10, 20);
const all = { userId: undefined, sources: null };
const lease = { owner: "server", ms: 30_000 };
const result = {
  columns: [{ name: "__proto__", kind: "number" as const, engineType: "BIGINT" }],
  rowCount: 1,
  totalBytes: 9,
};

/** What every store must do, whatever keeps its records. */
export function testRunStore(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let store: RunStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  const submit = async (each: Submission, now = t0) => accepted(await store.submit(each, now));
  async function succeed(runId: string, now: number): Promise<void> {
    const claimed = await store.claim(lease, now);
    expect(claimed?.run.id).toBe(runId);
    const attempt = claimed?.run.attempt ?? 0;
    await store.apply(runId, { type: "executed", attempt }, now);
    await store.apply(runId, { type: "committed", attempt, result }, now);
  }

  describe("a run store", () => {
    it("gives back what it was given", async () => {
      const tags = { ["__proto__"]: "x", none: null };
      const { run, request, statement } = await submit(submission({ tags, parameters: { a: 1 } }));
      expect(await store.run(run.id)).toEqual(run);
      expect(JSON.stringify(run.tags)).toBe(JSON.stringify(tags));
      expect(request).toMatchObject({ queryRunId: run.id, triggeredQueryRun: true, sqlStatementId: statement.id });
      expect(await store.statement("tenant", statement.id)).toEqual(statement);
      expect(await store.latestRequest(statement.id, all)).toEqual({ request, run });
      expect(await store.statement("another", statement.id)).toBeUndefined();
      expect(await store.run("run_unknown")).toBeUndefined();
    });

    it("keeps a statement once for a tenant", async () => {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const first = await submit(submission({}, { statement }));
      const second = await submit(submission({}, { statement: { ...statement, id: "st_b" } }));
      expect(second.statement).toEqual(first.statement);
      expect(second.run.sqlStatementId).toBe("st_a");
      const other = await submit(submission({ tenantId: "other" }, { statement: { ...statement, id: "st_c" } }));
      expect(other.statement.id).toBe("st_c");
    });

    it("hands out each run once, the oldest first", async () => {
      const ids = [];
      for (const age of [2, 1, 0]) ids.push((await submit(submission(), t0 - age)).run.id);
      const claims = await Promise.all([1, 2, 3, 4].map(() => store.claim(lease, t0)));
      expect(claims.map((claim) => claim?.run.id)).toEqual([...ids, undefined]);
      expect(claims[0]).toMatchObject({ run: { state: "QUERY_STATE_RUNNING", attempt: 1 } });
      expect(claims[0]?.sql).toMatch(/^select/);
    });

    it("applies transitions and refuses what does not follow", async () => {
      const { run } = await submit(submission());
      await succeed(run.id, t0 + 5);
      expect(await store.apply(run.id, { type: "canceled" }, t0)).toEqual({ accepted: false, refusal: "RunEnded" });
      expect(await store.apply("run_unknown", { type: "canceled" }, t0)).toBeUndefined();
      expect((await store.latestRequest(run.sqlStatementId, all))?.run.result).toEqual(result);
    });

    it("tells of a statement by the latest request that has a result", async () => {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const ask = (now: number) => submit(submission({}, { statement }), now);
      const { run } = await ask(t0);
      await ask(t0 + 1);
      await succeed(run.id, t0 + 5);
      await ask(t0 + 6);
      expect((await store.latestRequest(statement.id, all))?.run.id).toBe(run.id);
    });

    it("answers with a result or a run under way of the same key", async () => {
      const { run } = await submit(submission({ reuseKey: "shared" }));
      const again = (maxAgeMinutes: number, now: number) =>
        submit(
          submission(
            { reuseKey: "shared" },
            { request: { id: `req_${maxAgeMinutes}_${now}`, maxAgeMinutes, resultTTLHours: 5 } },
          ),
          now,
        );
      expect((await again(1, t0)).request).toMatchObject({ queryRunId: run.id, triggeredQueryRun: false });
      await succeed(run.id, t0);
      expect((await again(1, t0 + 60_000)).run).toMatchObject({ id: run.id, resultTTLHours: 5 });
      expect((await again(1, t0 + 60_001)).request.triggeredQueryRun).toBe(true);
      expect((await again(0, t0)).request.triggeredQueryRun).toBe(true);
    });

    it("answers with an older result that is kept longer than the newest", async () => {
      const { run: older } = await submit(submission({ reuseKey: "shared", resultTTLHours: 2 }));
      const { run: newer } = await submit(submission({ reuseKey: "shared", resultTTLHours: 1 }));
      await succeed(older.id, t0);
      await succeed(newer.id, t0 + 1);
      const request = { id: "req_again", maxAgeMinutes: 600, resultTTLHours: 1 };
      const again = await submit(submission({ reuseKey: "shared" }, { request }), t0 + 3_600_001);
      expect(again.run.id).toBe(older.id);
    });

    it("counts the unfinished runs of a tenant", async () => {
      const capped = { caps: { maxUnfinishedRuns: 1 } };
      const { run } = await submit(submission({}, capped));
      expect(await store.submit(submission({}, capped), t0)).toEqual({ outcome: "tooManyRuns", count: 1, cap: 1 });
      await submit(submission({ tenantId: "other" }, capped));
      await store.apply(run.id, { type: "canceled" }, t0);
      await submit(submission({}, capped));
    });

    it("knows a repeated call by its key for a day", async () => {
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const first = await submit(submission({}, { idempotency }));
      const second = await submit(submission({}, { idempotency }), t0 + 86_399_999);
      expect(second.request).toEqual(first.request);
      expect([first.repeated, second.repeated]).toEqual([false, true]);
      const changed = submission({}, { idempotency: { ...idempotency, bodyHash: "b" } });
      expect(await store.submit(changed, t0)).toEqual({ outcome: "idempotencyMismatch" });
      const ofAnother = await submit(submission({}, { idempotency: { ...idempotency, apiKeyId: "other" } }));
      expect(ofAnother.request.id).not.toBe(first.request.id);
      expect((await submit(submission({}, { idempotency }), t0 + 86_400_000)).request.id).not.toBe(first.request.id);
    });

    it("cancels a run with its last request, so that the next one has a run of its own", async () => {
      const { run, request } = await submit(submission({ reuseKey: "shared" }));
      const join = (id: string) =>
        submit(submission({ reuseKey: "shared" }, { request: { id, maxAgeMinutes: 1, resultTTLHours: 1 } }));
      expect((await join("req_joined")).run.id).toBe(run.id);
      for (const _ of [1, 2]) {
        expect(await store.withdraw({ runId: run.id, requestId: request.id, userId: "user" }, t0)).toMatchObject({
          run: { state: "QUERY_STATE_READY" },
        });
      }
      const last = await store.withdraw({ runId: run.id, requestId: "req_joined", userId: undefined }, t0);
      expect(last).toMatchObject({ accepted: true, run: { state: "QUERY_STATE_CANCELED" } });
      expect(await store.withdraw({ runId: run.id, requestId: "req_joined", userId: undefined }, t0)).toEqual({
        accepted: false,
        refusal: "RunEnded",
      });
      for (const [runId, requestId] of [
        [run.id, "req_unknown"],
        ["run_unknown", request.id],
      ] as const)
        expect(await store.withdraw({ runId, requestId, userId: undefined }, t0)).toBeUndefined();
      expect((await join("req_later")).run.id).not.toBe(run.id);
    });

    it("finds results by expiry", async () => {
      const { run } = await submit(submission());
      await succeed(run.id, t0);
      expect(await store.expired(t0 + 3_599_999)).toEqual([]);
      expect(await store.expired(t0 + 3_600_000)).toHaveLength(1);
      await store.apply(run.id, { type: "archived" }, t0 + 3_600_000);
      expect(await store.expired(t0 + 3_600_000)).toEqual([]);
    });

    it("has at most one run to share of equal ones, whoever asks at once", async () => {
      const shared = (id: string, maxAgeMinutes: number) =>
        submission({ reuseKey: "shared" }, { request: { id, maxAgeMinutes, resultTTLHours: 1 } });
      const outcomes = await Promise.all(["req_a", "req_b", "req_c"].map((id) => submit(shared(id, 1))));
      expect(new Set(outcomes.map(({ run }) => run.id)).size).toBe(1);
      expect(outcomes.map(({ request }) => request.triggeredQueryRun)).toEqual([true, false, false]);
      const own = await submit(shared("req_own", 0));
      expect(own.request.triggeredQueryRun).toBe(true);
      expect((await submit(shared("req_d", 1))).run.id).toBe(outcomes[0]?.run.id);
    });

    it("takes turns between tenants and users, so that a thousand runs of one delay no other's first", async () => {
      const tenants = [
        ["busy", "loud"],
        ["busy", "quiet"],
        ["other", "late"],
      ] as const;
      const loud = Array.from({ length: 1_000 }, () => submission({ tenantId: "busy", userId: "loud" }));
      await Promise.all(loud.map((each) => submit(each)));
      await store.claim(lease, t0);
      for (const [tenantId, userId] of tenants.slice(1)) await submit(submission({ tenantId, userId }), t0 + 1);
      const next = async () => (await store.claim(lease, t0 + 1))?.run.userId;
      expect([await next(), await next(), await next(), await next()]).toEqual(["late", "quiet", "loud", "loud"]);
      await submit(submission({ tenantId: "other", userId: "late" }), t0 + 2);
      expect([await next(), await next()]).toEqual(["late", "loud"]);
    });

    it("lets no more runs of a tenant execute than its cap", async () => {
      const caps = { maxRunningRuns: 1 };
      const first = await submit(submission({}, { caps }));
      await submit(submission({ userId: "colleague" }, { caps }));
      const other = await submit(submission({ tenantId: "other" }, { caps }), t0 + 1);
      expect((await store.claim(lease, t0 + 1))?.run.id).toBe(first.run.id);
      expect((await store.claim(lease, t0 + 1))?.run.id).toBe(other.run.id);
      expect(await store.claim(lease, t0 + 1)).toBeUndefined();
      await store.apply(first.run.id, { type: "executed", attempt: 1 }, t0 + 2);
      expect(await store.claim(lease, t0 + 2)).toBeUndefined();
      await store.apply(first.run.id, { type: "committed", attempt: 1, result }, t0 + 3);
      expect((await store.claim(lease, t0 + 3))?.run.userId).toBe("colleague");
    });

    it("refuses a run when too many of all tenants wait, but not one that joins another", async () => {
      const caps = { maxQueuedRuns: 2 };
      const of = (tenantId: string, more: Partial<Submission> = {}) =>
        submission({ tenantId, ...(more.request && { reuseKey: "shared" }) }, { caps, ...more });
      await submit(submission({ tenantId: "one", reuseKey: "shared" }, { caps }));
      await submit(of("one"));
      expect(await store.submit(of("one"), t0)).toEqual({ outcome: "tooManyRuns", count: 2, cap: 2 });
      const request = { id: "req_joined", maxAgeMinutes: 1, resultTTLHours: 1 };
      expect((await submit(of("one", { request }))).request.triggeredQueryRun).toBe(false);
      await store.claim(lease, t0);
      await submit(of("one"));
    });

    it("refuses no tenant's first run for those of others, until twice as many wait", async () => {
      const of = (tenantId: string) => submission({ tenantId }, { caps: { maxQueuedRuns: 2 } });
      for (const tenant of ["busy", "busy", "two", "three"]) await submit(of(tenant));
      // Each is told its own numbers.
      expect(await store.submit(of("two"), t0)).toEqual({ outcome: "tooManyRuns", count: 1, cap: 1 });
      expect(await store.submit(of("four"), t0)).toEqual({ outcome: "tooManyRuns", count: 0, cap: 0 });
    });

    it("takes a run for lost when its lease is over, unless it was renewed", async () => {
      const runs = [await submit(submission()), await submit(submission(), t0 + 1)];
      const [kept = "", dropped = ""] = runs.map(({ run }) => run.id);
      for (const _ of runs) await store.claim(lease, t0 + 1);
      const lostIds = async (now: number) => (await store.lost(lease.owner, now)).map(({ id }) => id);
      expect(await lostIds(t0 + lease.ms)).toEqual([]);
      expect(await store.renew(lease, [kept, "run_unknown"], t0 + lease.ms)).toEqual([kept]);
      expect(await lostIds(t0 + 1 + lease.ms)).toEqual([dropped]);
      // Nobody renews another's, and an ended run has no lease.
      expect(await store.renew({ ...lease, owner: "another" }, [kept], t0)).toEqual([]);
      await store.apply(kept, { type: "canceled" }, t0 + lease.ms);
      expect(await store.renew(lease, [kept], t0 + lease.ms)).toEqual([]);
      expect(await lostIds(t0 + 10 * lease.ms)).toEqual([dropped]);
    });

    it("lets who lost a run not change it after another has taken it", async () => {
      const { run } = await submit(submission());
      const late = (await store.claim(lease, t0))?.run.attempt ?? 0;
      await store.apply(run.id, { type: "workerLost", attempt: late, reason: "its lease was over" }, t0);
      const now = (await store.claim({ ...lease, owner: "another" }, t0))?.run.attempt ?? 0;
      expect(await store.renew(lease, [run.id], t0)).toEqual([]);
      for (const event of [
        { type: "executed", attempt: late },
        { type: "committed", attempt: late, result },
        { type: "failed", attempt: late, failure: { name: "Late", message: "late", data: { category: "USER" } } },
      ] as const) {
        expect(await store.apply(run.id, event, t0)).toEqual({ accepted: false, refusal: "StaleAttempt" });
      }
      expect(await store.apply(run.id, { type: "executed", attempt: now }, t0)).toMatchObject({ accepted: true });
    });

    it("forgets a run with its requests, and its statement with the last run", async () => {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const first = await submit(submission({}, { statement }));
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const second = await submit(submission({}, { statement, idempotency }), t0 + 1);
      await succeed(first.run.id, t0);
      await store.apply(second.run.id, { type: "canceled" }, t0 + 10);
      expect(await store.forget(t0 + 1, 10)).toBe(0); // it has its result yet
      await store.apply(first.run.id, { type: "archived" }, t0 + 3_600_000);
      expect(await store.forget(t0, 10)).toBe(0);
      expect(await store.forget(t0 + 11, 1)).toBe(1);
      expect(await store.run(first.run.id)).toBeUndefined();
      expect(await store.askedForRun("user", first.run)).toBe(false);
      expect(await store.statement("tenant", "st_a")).toBeDefined();
      expect(await store.forget(t0 + 11, 1)).toBe(1);
      expect(await store.statement("tenant", "st_a")).toBeUndefined();
      const again = await submit(submission({}, { statement, idempotency }), t0 + 20);
      expect(again.request.id).not.toBe(second.request.id);
      expect(await store.forget(t0 + 1e12, 10)).toBe(0); // it has not ended
    });
  });
}

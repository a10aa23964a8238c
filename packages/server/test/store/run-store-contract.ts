import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunStore, Submission, SubmissionOutcome } from "../../src/store/run-store.ts";
import { submission } from "./submission.ts";

export interface OpenStore {
  readonly store: RunStore;
  close(): Promise<void>;
}

const t0 = Date.UTC(2026, 10, 20);
const result = {
  columns: [{ name: "__proto__", kind: "number" as const, engineType: "BIGINT" }],
  rowCount: 1,
  totalBytes: 9,
};

type Accepted = Extract<SubmissionOutcome, { outcome: "accepted" }>;

function accepted(outcome: SubmissionOutcome): Accepted {
  if (outcome.outcome !== "accepted") throw new Error(outcome.outcome);
  return outcome;
}

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
    const claimed = await store.claim(now);
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
      const claims = await Promise.all([1, 2, 3, 4].map(() => store.claim(t0)));
      expect(claims.map((claim) => claim?.run.id)).toEqual([...ids, undefined]);
      expect(claims[0]).toMatchObject({ run: { state: "QUERY_STATE_RUNNING", attempt: 1 } });
      expect(claims[0]?.sql).toMatch(/^select/);
    });

    it("applies transitions and refuses what does not follow", async () => {
      const { run } = await submit(submission());
      await succeed(run.id, t0 + 5);
      expect(await store.apply(run.id, { type: "canceled" }, t0)).toEqual({ accepted: false, refusal: "RunEnded" });
      expect(await store.apply("run_unknown", { type: "canceled" }, t0)).toBeUndefined();
      expect((await store.statement("tenant", run.sqlStatementId))?.columns).toEqual(result.columns);
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

    it("counts the unfinished runs of a tenant", async () => {
      const capped = { maxUnfinishedRuns: 1 };
      const { run } = await submit(submission({}, capped));
      expect(await store.submit(submission({}, capped), t0)).toEqual({ outcome: "tooManyRuns", unfinishedRuns: 1 });
      await submit(submission({ tenantId: "other" }, capped));
      await store.apply(run.id, { type: "canceled" }, t0);
      await submit(submission({}, capped));
    });

    it("knows a repeated call by its key for a day", async () => {
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const first = await submit(submission({}, { idempotency }));
      const second = await submit(submission({}, { idempotency }), t0 + 86_399_999);
      expect(second.request).toEqual(first.request);
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
        expect(await store.withdraw(run.id, request.id, t0)).toMatchObject({ run: { state: "QUERY_STATE_READY" } });
      }
      const last = await store.withdraw(run.id, "req_joined", t0);
      expect(last).toMatchObject({ accepted: true, run: { state: "QUERY_STATE_CANCELED" } });
      expect(await store.withdraw(run.id, "req_joined", t0)).toEqual({ accepted: false, refusal: "RunEnded" });
      expect(await store.withdraw(run.id, "req_unknown", t0)).toBeUndefined();
      expect(await store.withdraw("run_unknown", request.id, t0)).toBeUndefined();
      expect((await join("req_later")).run.id).not.toBe(run.id);
    });

    it("finds runs by state, and results by expiry", async () => {
      const { run } = await submit(submission());
      expect((await store.inState(["QUERY_STATE_READY"])).map(({ id }) => id)).toEqual([run.id]);
      await succeed(run.id, t0);
      expect(await store.inState(["QUERY_STATE_READY", "QUERY_STATE_RUNNING"])).toEqual([]);
      expect(await store.expired(t0 + 3_599_999)).toEqual([]);
      expect(await store.expired(t0 + 3_600_000)).toHaveLength(1);
      await store.apply(run.id, { type: "archived" }, t0 + 3_600_000);
      expect(await store.expired(t0 + 3_600_000)).toEqual([]);
    });
  });
}

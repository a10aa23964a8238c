import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import type { NewRun, RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock } from "../fixture.ts";

let clock: ReturnType<typeof createTestClock>;
let store: Store;
beforeEach(() => {
  clock = createTestClock();
  store = openSqliteStore(":memory:", { clock });
  return () => store.close();
});

const submitted = async (change: Partial<NewRun> = {}) => accepted(await store.runs.submit(submission(change)));

/** Submits a run that ends at once, and returns its id. */
async function canceled(change: Partial<NewRun> = {}): Promise<string> {
  const { run } = await submitted(change);
  await store.runs.apply(run.id, { type: "canceled" });
  return run.id;
}

async function succeeded(): Promise<RunRecord> {
  const { run } = await submitted();
  await store.runs.claim({ owner: "server", ms: 30_000 });
  await store.runs.apply(run.id, { type: "executed", attempt: 1 });
  await store.runs.apply(run.id, {
    type: "committed",
    attempt: 1,
    result: { columns: [], rowCount: 0, totalBytes: 1 },
  });
  return run;
}

it("purges runs that ended before the retention, the oldest first and up to the limit", async () => {
  const ids: string[] = [];
  for (let run = 0; run < 4; run++) {
    ids.push(await canceled());
    clock.advance(10);
  }
  const waiting = await submitted();
  const left = async () => {
    const found = await Promise.all([...ids, waiting.run.id].map((id) => store.runs.run(id)));
    return found.map((run) => run !== undefined);
  };
  // The oldest run ended 40 ms ago.
  expect(await store.runs.purge(40, 9)).toBe(0);
  expect(await store.runs.purge(39, 9)).toBe(1);
  expect(await left()).toEqual([false, true, true, true, true]);
  expect(await store.runs.purge(0, 2)).toBe(2);
  expect(await left()).toEqual([false, false, false, true, true]);
  expect(await store.runs.purge(0, 2)).toBe(1);
  expect(await store.runs.purge(0, 2)).toBe(0);
  expect(await left()).toEqual([false, false, false, false, true]);
});

it("purges no run whose result is not archived", async () => {
  const run = await succeeded();
  clock.advance(2 * 3_600_000);
  expect(await store.runs.purge(1, 9)).toBe(0);
  expect((await store.runs.expired()).map(({ id }) => id)).toEqual([run.id]);
  await store.runs.apply(run.id, { type: "archived" });
  expect(await store.runs.expired()).toEqual([]);
  expect(await store.runs.purge(1, 9)).toBe(1);
});

it("purges what only the run has: its requests, and its statement unless another run has it", async () => {
  const statement = { id: "st_same", sql: "select 1", statementHash: "hash" };
  const of = { sqlStatementId: statement.id };
  const first = accepted(await store.runs.submit(submission({ ...of, userId: "ann" }, { statement }))).run;
  await store.runs.apply(first.id, { type: "canceled" });
  clock.advance(10);
  const second = accepted(await store.runs.submit(submission({ ...of, userId: "ann" }, { statement }))).run;
  clock.advance(10);
  expect(await store.runs.hasRequested("ann", first)).toBe(true);
  expect(await store.runs.purge(5, 9)).toBe(1);
  expect([await store.runs.hasRequested("ann", first), await store.runs.hasRequested("ann", second)]).toEqual([
    false,
    true,
  ]);
  expect(await store.runs.statement("tenant", statement.id)).toEqual(statement);
  await store.runs.apply(second.id, { type: "canceled" });
  clock.advance(10);
  expect(await store.runs.purge(5, 9)).toBe(1);
  expect(await store.runs.statement("tenant", statement.id)).toBeUndefined();
  const requests = [];
  for await (const batch of store.records.requests.read()) requests.push(...batch);
  expect(requests).toEqual([]);
});

it("finds statements and requests of their own tenant, user and run only", async () => {
  const { run, statement } = await submitted({ userId: "ann" });
  expect(await store.runs.statement("tenant", statement.id)).toEqual(statement);
  expect(await store.runs.statement("other", statement.id)).toBeUndefined();
  expect(await store.runs.statement("tenant", "st_none")).toBeUndefined();
  const asked = (userId: string, change: Partial<RunRecord> = {}) =>
    store.runs.hasRequested(userId, { ...run, ...change });
  expect(await asked("ann")).toBe(true);
  for (const change of [{ tenantId: "other" }, { id: "run_none" }, { createdAt: run.createdAt + 1 }])
    expect(await asked("ann", change)).toBe(false);
  expect(await asked("ben")).toBe(false);
});

it("withdraws the request of its run and user, once, and ends the run with the last one", async () => {
  const first = await submitted({ reuseKey: "same", userId: "ann" });
  const joining = submission({ reuseKey: "same", userId: "ben" });
  const second = accepted(await store.runs.submit({ ...joining, request: { ...joining.request, maxAgeMinutes: 9 } }));
  const runId = first.run.id;
  expect(second.run.id).toBe(runId);
  const withdraw = (requestId: string, userId?: string, of = runId) =>
    store.runs.withdraw({ runId: of, requestId, userId });
  const other = await submitted();
  expect(await withdraw(first.request.id, "ben")).toBeUndefined();
  expect(await withdraw("req_none")).toBeUndefined();
  expect(await withdraw(other.request.id)).toBeUndefined();
  expect(await withdraw(first.request.id, undefined, "run_none")).toBeUndefined();
  expect(await withdraw(first.request.id, "ann")).toMatchObject({ accepted: true, ended: false, run: { id: runId } });
  clock.advance(5);
  expect(await withdraw(first.request.id)).toMatchObject({ accepted: true, ended: false });
  expect((await store.runs.run(runId))?.state).toBe("QUERY_STATE_READY");
  expect(await withdraw(second.request.id)).toMatchObject({
    accepted: true,
    ended: true,
    run: { id: runId, state: "QUERY_STATE_CANCELED", endedAt: clock.now() },
  });
  expect(await withdraw(second.request.id)).toMatchObject({ accepted: false, refusal: "RunEnded" });
});

it("answers undefined for a change of an unknown run", async () => {
  expect(await store.runs.apply("run_none", { type: "canceled" })).toBeUndefined();
  expect(await store.runs.apply("run_none", { type: "executed", attempt: 1 })).toBeUndefined();
  expect(await store.runs.run("run_none")).toBeUndefined();
});

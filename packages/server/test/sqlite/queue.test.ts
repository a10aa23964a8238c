import type { DatabaseSync } from "node:sqlite";
import { accepted, submission } from "@quern/adapter/contract";
import type { NewRun, RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { prepareReclaim } from "../../src/sqlite/lost-runs.ts";
import { createQueue, endLeases, prepareRunCounts, type Queue, readLeaseOwners } from "../../src/sqlite/queue.ts";
import { createRunRecords, type RunRecords } from "../../src/sqlite/run-records.ts";
import { createSubmissions } from "../../src/sqlite/submissions.ts";

let database: DatabaseSync;
let runs: RunRecords;
let queue: Queue;
beforeEach(() => {
  database = openDatabase(":memory:");
  runs = createRunRecords(database, () => {});
  queue = createQueue(database, runs);
  return () => database.close();
});

const rowsOf = (text: string) => database.prepare(text).all();
const lease = { owner: "server", ms: 10 };

/** Stores a waiting run, and returns its record. */
function submitted(change: Partial<NewRun> = {}, now = 0, caps: { readonly maxRunningRuns?: number } = {}): RunRecord {
  return accepted(createSubmissions(database, runs).submit(submission(change, { caps }), now)).run;
}

/** Returns the run with the members that events have changed. */
const current = ({ id }: RunRecord): RunRecord | undefined => runs.run(id);
const claimedUser = (now = 0) => queue.claim(lease, now)?.run.userId;

it("claims nothing of an empty queue", () => {
  expect(queue.claim(lease, 0)).toBeUndefined();
  expect(rowsOf("SELECT * FROM turns")).toEqual([]);
});

it("gives a claimed run with its text, a lease from now on, and the turn to its tenant and user", () => {
  const run = submitted({ userId: "ann" });
  const claimed = queue.claim({ owner: "a", ms: 10 }, 5);
  expect(claimed?.run).toMatchObject({ id: run.id, state: "QUERY_STATE_RUNNING", attempt: 1, startedAt: 5 });
  expect(claimed?.sql).toBe(runs.statementOf(run).sql);
  expect(rowsOf("SELECT id, lease_owner, lease_until FROM runs")).toEqual([
    { id: run.id, lease_owner: "a", lease_until: 15 },
  ]);
  submitted({ userId: "ben" });
  queue.claim({ owner: "b", ms: 10 }, 6);
  expect(rowsOf("SELECT * FROM turns ORDER BY user_id")).toEqual([
    { tenant_id: "tenant", user_id: "", turn: 3 },
    { tenant_id: "tenant", user_id: "ann", turn: 2 },
    { tenant_id: "tenant", user_id: "ben", turn: 4 },
  ]);
});

it("prefers the tenant, then the user, that was served the longest ago, then the oldest run, then its id", () => {
  submitted({ id: "run_c", userId: "cleo" }, 1);
  submitted({ id: "run_b", userId: "ben" }, 1);
  submitted({ id: "run_a", userId: "ann" }, 2);
  expect([claimedUser(), claimedUser(), claimedUser(), claimedUser()]).toEqual(["ben", "cleo", "ann", undefined]);
  submitted({ id: "run_d", userId: "ann" }, 3);
  submitted({ id: "run_e", userId: "ben" }, 4);
  submitted({ id: "run_f", userId: "zoe", tenantId: "other" }, 9);
  submitted({ id: "run_g", userId: "new" }, 9);
  expect([claimedUser(), claimedUser(), claimedUser(), claimedUser()]).toEqual(["zoe", "new", "ben", "ann"]);
});

it.each([
  [undefined, undefined, 3],
  [1, undefined, 1],
  [2, undefined, 2],
  [1, { maxRunningRuns: 2 }, 2],
  [2, { maxRunningRuns: 1 }, 1],
  [1, { maxRunningRuns: null }, 3],
  [1, { maxUnfinishedRuns: 9 }, 1],
  [undefined, { maxRunningRuns: 0 }, 0],
])(
  "with the cap %j of the runs and the settings %j, %i of 3 runs of a tenant execute",
  (maxRunningRuns, settings, count) => {
    for (let run = 0; run < 3; run++) submitted({}, run, maxRunningRuns === undefined ? {} : { maxRunningRuns });
    if (settings !== undefined)
      database.prepare("INSERT INTO tenants VALUES ('tenant', 0, ?)").run(JSON.stringify(settings));
    let claimed = 0;
    while (queue.claim(lease, 9) !== undefined) claimed += 1;
    expect(claimed).toBe(count);
    submitted({ tenantId: "other" }, 9);
    expect(queue.claim(lease, 9)?.run.tenantId).toBe("other");
  },
);

it("renews the leases of runs that their owner executes, and names these runs", () => {
  const [first, second, third] = [submitted(), submitted({}, 1), submitted({}, 2)];
  for (const owner of ["a", "a", "b"]) queue.claim({ owner, ms: 10 }, 5);
  const waiting = submitted({}, 3);
  runs.apply(current(second) ?? second, { type: "executed", attempt: 1 }, 6);
  const ids = [first, second, third, waiting].map(({ id }) => id);
  expect(queue.renew({ owner: "a", ms: 20 }, [...ids, "run_none"], 7)).toEqual([first.id, second.id]);
  expect(rowsOf("SELECT lease_until FROM runs ORDER BY created_at").map((row) => row.lease_until)).toEqual([
    27,
    27,
    15,
    null,
  ]);
  runs.apply(current(first) ?? first, { type: "canceled" }, 8);
  expect(queue.renew({ owner: "a", ms: 20 }, ids, 9)).toEqual([second.id]);
  expect(queue.renew({ owner: "a", ms: 20 }, [], 9)).toEqual([]);
});

it("reclaims runs from the end of their leases, except those that the caller executes", () => {
  const [first, second, ended] = [submitted(), submitted({}, 1), submitted({}, 2)];
  for (let run = 0; run < 3; run++) queue.claim(lease, 5);
  submitted({}, 3);
  runs.apply(current(ended) ?? ended, { type: "canceled" }, 6);
  const reclaim = (working: readonly string[], now: number, maxLostServers?: number) =>
    prepareReclaim(database, runs)("the server was lost", working, maxLostServers, now).map(({ lost, run }) => [
      lost,
      run.id,
      run.state,
    ]);
  expect(reclaim([], 14)).toEqual([]);
  const executing = current(second);
  expect(reclaim([first.id], 15)).toEqual([[executing, second.id, "QUERY_STATE_READY"]]);
  expect(current(second)).toMatchObject({ state: "QUERY_STATE_READY", startedAt: null });
  expect(reclaim([], 15, 9)).toMatchObject([[{ id: first.id }, first.id, "QUERY_STATE_READY"]]);
  expect(reclaim([], 15)).toEqual([]);
});

it("names the owners of leases until these end, and ends the leases of executing runs", () => {
  for (let run = 0; run < 4; run++) submitted({}, run);
  for (const owner of ["a", "a", "b"]) queue.claim({ owner, ms: owner === "a" ? 10 : 5 }, 0);
  const owners = (now: number) => readLeaseOwners(database, now).toSorted();
  expect([owners(4), owners(5), owners(9), owners(10)]).toEqual([["a", "b"], ["a"], ["a"], []]);
  endLeases(database);
  expect(owners(0)).toEqual([]);
  expect(rowsOf("SELECT lease_until FROM runs ORDER BY created_at").map((row) => row.lease_until)).toEqual([
    0,
    0,
    0,
    null,
  ]);
  expect(prepareReclaim(database, runs)("restart", [], undefined, 0)).toHaveLength(3);
});

it("counts waiting, running and streaming runs, with the age of the oldest waiting one", () => {
  const counts = prepareRunCounts(database);
  expect(counts()).toEqual({ ready: 0, running: 0, streaming: 0, oldestReadyAt: null });
  const all = [3, 1, 4, 2, 6, 5].map((at) => submitted({}, at));
  expect(counts()).toEqual({ ready: 6, running: 0, streaming: 0, oldestReadyAt: 1 });
  for (let run = 0; run < 3; run++) queue.claim(lease, 9);
  const streaming = all.find(({ createdAt }) => createdAt === 1);
  if (streaming !== undefined) runs.apply(current(streaming) ?? streaming, { type: "executed", attempt: 1 }, 9);
  expect(counts()).toEqual({ ready: 3, running: 2, streaming: 1, oldestReadyAt: 4 });
  if (streaming !== undefined) runs.apply(current(streaming) ?? streaming, { type: "canceled" }, 9);
  expect(counts()).toEqual({ ready: 3, running: 2, streaming: 0, oldestReadyAt: 4 });
});

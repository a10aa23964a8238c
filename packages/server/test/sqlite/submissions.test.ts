import type { DatabaseSync } from "node:sqlite";
import type { Submission } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import type { RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { createRunRecords, type RunRecords } from "../../src/sqlite/run-records.ts";
import { createSubmissions, type Submissions } from "../../src/sqlite/submissions.ts";

const day = 86_400_000;

let database: DatabaseSync;
let runs: RunRecords;
let submissions: Submissions;
let notified: string[];
beforeEach(() => {
  notified = [];
  database = openDatabase(":memory:");
  runs = createRunRecords(database, ({ id, state }) => void notified.push(`${id} ${state}`));
  submissions = createSubmissions(database, runs);
  return () => database.close();
});

const submit = (of: Submission, now: number) => accepted(submissions.submit(of, now));
const rowsOf = (text: string) => database.prepare(text).all();

it("stores a new run with its request, and the tenant's cap of running runs", () => {
  const of = submission(
    { userId: "ann", tags: { by: "ann" } },
    { idempotency: { apiKeyId: "caller", key: "k", bodyHash: "body" }, caps: { maxRunningRuns: 3 } },
  );
  const { run, request, statement, repeated } = submit(of, 5);
  expect(request).toMatchObject({
    ...of.request,
    queryRunId: run.id,
    sqlStatementId: run.sqlStatementId,
    userId: "ann",
    tags: { by: "ann" },
    idempotencyKey: "k",
    triggeredQueryRun: true,
    createdAt: 5,
  });
  expect([run.state, repeated, statement]).toEqual(["QUERY_STATE_READY", false, of.statement]);
  expect(rowsOf("SELECT id, max_running_runs, shareable FROM runs")).toEqual([
    { id: run.id, max_running_runs: 3, shareable: 1 },
  ]);
  expect(rowsOf("SELECT api_key_id, body_hash FROM requests")).toEqual([{ api_key_id: "caller", body_hash: "body" }]);
  expect(rowsOf("SELECT * FROM requested_runs")).toEqual([
    { tenant_id: "tenant", user_id: "ann", run_created_at: 5, run_id: run.id },
  ]);
  expect(notified).toEqual([`${run.id} QUERY_STATE_READY`]);
  expect(submit(of, 6)).toEqual({ outcome: "accepted", run, request, statement, repeated: true });
});

it("joins the run of an equal call, whose retention it extends", () => {
  const first = submit(submission({ reuseKey: "same", resultTTLHours: 1 }), 5);
  const of = submission({ reuseKey: "same", userId: "bob" });
  const joining = { ...of, request: { ...of.request, maxAgeMinutes: 10, resultTTLHours: 4 } };
  const second = submit(joining, 6);
  expect([second.run.id, second.run.resultTTLHours]).toEqual([first.run.id, 4]);
  expect(second.request).toMatchObject({ userId: "bob", triggeredQueryRun: false, idempotencyKey: null });
  expect([second.statement, second.repeated]).toEqual([first.statement, false]);
  expect(rowsOf("SELECT api_key_id, body_hash FROM requests")).toEqual(
    Array(2).fill({ api_key_id: null, body_hash: null }),
  );
  expect(rowsOf("SELECT count(*) AS n FROM runs")).toEqual([{ n: 1 }]);
});

it("marks only the first of several unfinished runs as the one that others join", () => {
  for (const now of [5, 6]) submit(submission({ reuseKey: "same" }), now);
  expect(rowsOf("SELECT shareable FROM runs ORDER BY rowid")).toEqual([{ shareable: 1 }, { shareable: 0 }]);
});

it("remembers withdrawn keys for a day, and forgets those of earlier days with the next one", () => {
  expect(submissions.withdrawKey({ apiKeyId: "caller", key: "first" }, 0)).toBeUndefined();
  expect(submissions.withdrawKey({ apiKeyId: "caller", key: "second" }, day - 1)).toBeUndefined();
  expect(rowsOf("SELECT withdrawn_at FROM withdrawn_keys")).toHaveLength(2);
  expect(submissions.withdrawKey({ apiKeyId: "caller", key: "third" }, day)).toBeUndefined();
  expect(rowsOf("SELECT withdrawn_at FROM withdrawn_keys ORDER BY withdrawn_at")).toEqual([
    { withdrawn_at: day - 1 },
    { withdrawn_at: day },
  ]);
});

it("returns the request of a key that is withdrawn within a day, and remembers the key after that", () => {
  const idempotency = { apiKeyId: "caller", key: "k", bodyHash: "body" };
  const { request } = submit(submission({}, { idempotency }), 0);
  expect(submissions.withdrawKey({ apiKeyId: "caller", key: "k" }, day - 1)).toEqual(request);
  expect(rowsOf("SELECT * FROM withdrawn_keys")).toEqual([]);
  expect(submissions.withdrawKey({ apiKeyId: "caller", key: "k" }, day + 1)).toBeUndefined();
  expect(rowsOf("SELECT withdrawn_at FROM withdrawn_keys")).toEqual([{ withdrawn_at: day + 1 }]);
});

it("creates a canceled run for a call whose key was withdrawn before", () => {
  submissions.withdrawKey({ apiKeyId: "caller", key: "k" }, 5);
  const idempotency = { apiKeyId: "caller", key: "k", bodyHash: "body" };
  const { run, request } = submit(submission({}, { idempotency }), 6);
  expect([run.state, request.triggeredQueryRun, runs.run(run.id)]).toEqual(["QUERY_STATE_CANCELED", true, run]);
  expect(notified).toEqual([`${run.id} QUERY_STATE_READY`, `${run.id} QUERY_STATE_CANCELED`]);
});

it("refuses a change of a run that another writer has changed, and a run without a statement", () => {
  const { run } = submit(submission(), 5);
  const claimed = runs.apply(run, { type: "claimed" }, 6);
  expect(claimed).toMatchObject({ accepted: true, run: { attempt: 1 } });
  const changed = `run ${run.id} was changed by another writer`;
  expect(() => runs.apply(run, { type: "canceled" }, 7)).toThrow(changed);
  expect(() => runs.apply({ ...run, state: "QUERY_STATE_RUNNING", attempt: 2 }, { type: "canceled" }, 7)).toThrow(
    changed,
  );
  expect(() => runs.statementOf({ ...run, tenantId: "other" } as RunRecord)).toThrow(`run ${run.id} has no statement`);
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequest, createRun, type RunRecord } from "@quern/query-run/record";
import type { RecordTable } from "../../store/record-tables.ts";
import type { Store } from "../../store/store.ts";
import type { ContractCase } from "../contract-case.ts";
import { allRuns, bytesOf, claimAt, type StoreContext, sampleResult, submitAt, succeedNext, t0 } from "./context.ts";
import { accepted, submission } from "./submission.ts";

async function recordsOf<T>(table: RecordTable<T>): Promise<readonly T[]> {
  const records: T[] = [];
  for await (const batch of table.read()) records.push(...batch);
  return records;
}

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

const statement = { id: "st_a", sql: "select 'é'", statementHash: "same" };
const ids = { tenantId: "tenant", userId: "ann", sqlStatementId: "st_a", dataSourceId: "source" };
const more = { statementTimeoutSeconds: 60, resultTTLHours: 1 };

function runOf(id: string, change: Partial<RunRecord> = {}): RunRecord {
  const tags = { ["__proto__"]: "x", none: null };
  return { ...createRun({ id, ...ids, ...more, reuseKey: id, parameters: { a: [1] }, tags }, t0), ...change };
}

function requestOf(id: string, run: RunRecord, idempotencyKey: string | null = null) {
  const { userId, tags, resultTTLHours } = run;
  const request = createRequest(
    { id, userId, tags, maxAgeMinutes: 0, resultTTLHours, idempotencyKey },
    run,
    true,
    run.createdAt,
  );
  return { request, apiKeyId: idempotencyKey === null ? null : "key", withdrawnAt: null };
}

/** Writes the records of a run and its statement. */
async function writeRun({ records }: Store, run: RunRecord): Promise<void> {
  await records.statements.write([{ tenantId: run.tenantId, ...statement }]);
  await records.runs.write([{ run, maxRunningRuns: null, isShareable: true }]);
  await records.requests.write([requestOf(`req_of_${run.id}`, run)]);
}

/** Cases about the records that move from one store to another. */
export const migrationCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "reads the records that calls have made",
    async run(context) {
      const { store } = context;
      const { records, runs } = store;
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "body" };
      const first = await submitAt(
        context,
        submission({ tags: { a: "b" } }, { idempotency, caps: { maxRunningRuns: 3 } }),
      );
      const second = await submitAt(context, submission({}, { statement: first.statement }), t0 + 1);
      assert.equal((await succeedNext(context, t0 + 2))?.id, first.run.id);
      await runs.withdraw({ runId: second.run.id, requestId: second.request.id, userId: undefined });
      assert.equal(await runs.withdrawKey({ apiKeyId: "key", key: "withdrawn" }), undefined);
      await store.settings.set("name", '"text"');
      assert.equal(await store.links.use("link", t0 + 10), true);
      await store.tenants.set("tenant", { maxRunningRuns: null });
      const usage = { tenantId: "tenant", userId: "user", month: "2026-11", execMs: 1, runs: 2, rows: 3, bytesRead: 4 };
      await store.usage.add([usage]);
      const stored = await Promise.all([first, second].map(({ run }) => runs.run(run.id)));
      const queued = (await recordsOf(records.runs)).toSorted((a, b) => (a.run.id < b.run.id ? -1 : 1));
      assert.deepEqual(
        queued.map(({ run, maxRunningRuns }) => [run, maxRunningRuns]),
        [
          [stored[0], 3],
          [stored[1], null],
        ],
      );
      assert.deepEqual(await recordsOf(records.requests), [
        { request: first.request, apiKeyId: "key", withdrawnAt: null },
        { request: second.request, apiKeyId: null, withdrawnAt: t0 + 2 },
      ]);
      const used = {
        apiKeyId: "key",
        keyHash: hashOf("k"),
        createdAt: t0,
        bodyHash: "body",
        requestId: first.request.id,
      };
      const withdrawal = {
        apiKeyId: "key",
        keyHash: hashOf("withdrawn"),
        createdAt: t0 + 2,
        bodyHash: null,
        requestId: null,
      };
      const keys = await recordsOf(records.idempotencyKeys);
      assert.deepEqual(
        keys.toSorted((a) => (a.requestId === null ? 1 : -1)),
        [used, withdrawal],
      );
      assert.deepEqual(await recordsOf(records.statements), [{ tenantId: "tenant", ...first.statement }]);
      assert.deepEqual(await recordsOf(records.settings), [{ name: "name", text: '"text"' }]);
      assert.equal(await store.settings.get("name"), '"text"');
      assert.equal(await store.settings.get("other"), undefined);
      assert.deepEqual(await recordsOf(records.usedLinks), [{ id: "link", expiresAt: t0 + 10 }]);
      assert.deepEqual(await recordsOf(records.tenants), [
        { id: "tenant", createdAt: t0 + 2, settings: { maxRunningRuns: null } },
      ]);
      assert.deepEqual(await recordsOf(records.usage), [usage]);
    },
  },
  {
    name: "answers calls by records that were written, and keeps a record that exists",
    async run(context) {
      const { store } = context;
      const { records, runs } = store;
      await context.setTime(t0 + 5);
      const key = {
        id: "key",
        hash: new Uint8Array([1, 2]),
        lastFour: "abcd",
        origin: "issued" as const,
        tenantId: "tenant",
        userId: "ann",
        scopes: ["run" as const],
        sources: ["a"],
        origins: null,
        networks: null,
        createdAt: t0 - 9,
        expiresAt: t0 + 9,
        revokedAt: null,
        replaced: false,
        lastUsedAt: t0 - 1,
      };
      const ended = { state: "QUERY_STATE_SUCCESS", attempt: 2, endedAt: t0, expiresAt: t0 + 3_600_000 } as const;
      const run = runOf("run_a", { ...ended, result: sampleResult });
      const request = requestOf("req_a", run, "k");
      const uses = [
        { apiKeyId: "key", keyHash: hashOf("k"), createdAt: t0, bodyHash: "body", requestId: "req_a" },
        { apiKeyId: "key", keyHash: hashOf("withdrawn"), createdAt: t0, bodyHash: null, requestId: null },
      ];
      for (let times = 0; times < 2; times += 1) {
        await records.tenants.write([{ id: "tenant", createdAt: t0 - 9, settings: { maxRunningRuns: null } }]);
        await records.keys.write([key]);
        await records.settings.write([{ name: "name", text: "1" }]);
        await records.usage.write([
          { tenantId: "tenant", userId: "ann", month: "2026-11", execMs: 1, runs: 2, rows: 3, bytesRead: 4 },
        ]);
        await records.usedLinks.write([{ id: "link", expiresAt: t0 + 10 }]);
        await records.statements.write([{ tenantId: "tenant", ...statement }]);
        await records.runs.write([{ run, maxRunningRuns: 1, isShareable: true }]);
        await records.requests.write([request]);
        await records.idempotencyKeys.write(uses);
      }
      assert.deepEqual(await store.keys.byHash(key.hash), { ...key, state: "active" });
      assert.deepEqual(await recordsOf(records.keys), [key]);
      assert.deepEqual(await runs.run("run_a"), run);
      assert.deepEqual(await recordsOf(records.runs), [{ run, maxRunningRuns: 1, isShareable: true }]);
      assert.deepEqual(await runs.statement("tenant", "st_a"), statement);
      assert.equal(await runs.hasRequested("ann", run), true);
      const recordBytes = bytesOf(statement) + bytesOf(run.tags) + bytesOf(run.parameters);
      assert.equal(await store.tenants.storedBytes("tenant"), sampleResult.totalBytes + recordBytes);
      assert.deepEqual((await store.tenants.tenant("tenant"))?.createdAt, t0 - 9);
      assert.equal(await store.settings.getOrCreate("name", "2"), "1");
      assert.equal((await store.usage.get({ tenantId: "tenant", userId: "ann", month: "2026-11" })).rows, 3);
      assert.equal(await store.links.use("link", t0 + 10), false);
      const call = (key: string, bodyHash: string) =>
        runs.submit(submission({ userId: "ann" }, { idempotency: { apiKeyId: "key", key, bodyHash } }));
      const repeated = accepted(await call("k", "body"));
      assert.deepEqual([repeated.repeated, repeated.request], [true, request.request]);
      assert.equal((await call("k", "another")).outcome, "idempotencyMismatch");
      assert.equal(accepted(await call("withdrawn", "body")).run.state, "QUERY_STATE_CANCELED");
      const tags = { ["__proto__"]: "x" };
      const listed = await runs.list({ ...allRuns, userId: "ann", tags }, t0, {});
      assert.equal(JSON.parse(new TextDecoder().decode(listed.json))[0]?.id, "run_a");
    },
  },
  {
    name: "claims a run that was written while it waited, and reclaims one that was written while it executed",
    async run(context) {
      const { store } = context;
      await context.setTime(t0);
      await writeRun(store, runOf("run_lost", { state: "QUERY_STATE_RUNNING", attempt: 1, startedAt: t0 }));
      await writeRun(store, runOf("run_waiting"));
      assert.equal((await claimAt(context, t0 + 1))?.run.id, "run_waiting");
      const reclaimed = await store.runs.reclaim("moved", []);
      assert.deepEqual(
        reclaimed.map(({ run }) => [run.id, run.state]),
        [["run_lost", "QUERY_STATE_READY"]],
      );
      assert.equal((await claimAt(context, t0 + 2))?.run.attempt, 2);
    },
  },
  {
    name: "reads more records than a batch, each of them once and the requests in their order",
    async run(context) {
      const { records } = context.store;
      const run = runOf("run_a");
      await writeRun(context.store, run);
      const written = Array.from({ length: 1_201 }, (_, number) => requestOf(`req_${9_999 - number}`, run));
      await records.requests.write(written);
      const [, ...read] = await recordsOf(records.requests);
      assert.deepEqual(
        read.map(({ request }) => request.id),
        written.map(({ request }) => request.id),
      );
    },
  },
];

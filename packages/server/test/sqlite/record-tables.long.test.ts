import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordKind, RecordTable, Store } from "@quern/adapter";
import { createRequest, createRun } from "@quern/query-run/record";
import { beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

let store: Store;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  store = openSqliteStore(join(directory, "test.db"), { clock: createTestClock() });
  return async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
});

async function batchesOf(kind: RecordKind): Promise<readonly (readonly object[])[]> {
  return Array.fromAsync((store.records[kind] as RecordTable<object>).read());
}

const write = (kind: RecordKind, records: readonly object[]) =>
  (store.records[kind] as RecordTable<object>).write(records);

const run = createRun(
  {
    id: "run_1",
    tenantId: "acme",
    userId: "ann",
    sqlStatementId: "st_1",
    dataSourceId: "source",
    parameters: null,
    tags: { a: "b" },
    statementTimeoutSeconds: 60,
    resultTTLHours: 1,
    reuseKey: "key",
  },
  5,
);
const requestOf = (id: string, createdAt: number) =>
  createRequest(
    { id, userId: "bob", tags: {}, maxAgeMinutes: 0, resultTTLHours: 1, idempotencyKey: null },
    run,
    false,
    createdAt,
  );
const key = {
  id: "key_1",
  hash: new Uint8Array([1, 2]),
  lastFour: "abcd",
  tenantId: "acme",
  userId: "ann",
  createdAt: 1,
  origin: "issued",
  scopes: ["run"],
  sources: ["source"],
  origins: ["https://a.example"],
  networks: ["::1/128"],
  expiresAt: 2,
  revokedAt: 3,
  replaced: true,
  lastUsedAt: 4,
};
const nulls = { sources: null, origins: null, networks: null, expiresAt: null, revokedAt: null, lastUsedAt: null };
const other = { ...key, ...nulls, id: "key_2", hash: new Uint8Array([3]), origin: "environment", replaced: false };

const usage = { tenantId: "acme", userId: "ann", month: "2026-11", execMs: 1, runs: 2, rows: 3, bytesRead: 4 };
const statement = { tenantId: "acme", id: "st_1", sql: "select 1", statementHash: "hash" };

it.each<[RecordKind, readonly object[], object]>([
  ["tenants", [{ id: "acme", createdAt: 7, settings: { maxRunningRuns: 2 } }], { createdAt: 8 }],
  ["keys", [key, other], { lastFour: "other" }],
  ["settings", [{ name: "a", text: '"b"' }], { text: '"c"' }],
  ["usage", [usage, { ...usage, month: "2026-12", execMs: 5 }], { runs: 9 }],
  ["usedLinks", [{ id: "link", expiresAt: 9 }], { expiresAt: 10 }],
  ["statements", [statement], { sql: "select 2" }],
  [
    "runs",
    [
      { run, maxRunningRuns: 3, isShareable: true },
      { run: { ...run, id: "run_0" }, maxRunningRuns: null, isShareable: false },
    ],
    { maxRunningRuns: 4 },
  ],
  [
    "requests",
    [
      { request: requestOf("req_2", 6), apiKeyId: "key_1", withdrawnAt: 8 },
      { request: requestOf("req_1", 7), apiKeyId: null, withdrawnAt: null },
    ],
    { apiKeyId: "other" },
  ],
  [
    "idempotencyKeys",
    [{ apiKeyId: "key_1", keyHash: "ab", createdAt: 7, bodyHash: null, requestId: null }],
    { createdAt: 8 },
  ],
])("%s are read as they were written, and stay when they are written again", async (kind, records, change) => {
  if (kind === "requests") await write("runs", [{ run, maxRunningRuns: null, isShareable: true }]);
  await write(kind, records);
  expect(await batchesOf(kind)).toEqual([records]);
  await write(
    kind,
    records.map((record) => ({ ...record, ...change })),
  );
  expect(await batchesOf(kind)).toEqual([records]);
});

it.each([
  [0, []],
  [1, [1]],
  [499, [499]],
  [500, [500]],
  [501, [500, 1]],
  [1000, [500, 500]],
])("%i records are read in batches of %j", async (count, sizes) => {
  const records = Array.from({ length: count }, (_, index) => ({ id: `link_${index}`, expiresAt: index }));
  await write("usedLinks", records);
  const batches = await batchesOf("usedLinks");
  expect(batches.map((batch) => batch.length)).toEqual(sizes);
  expect(batches.flat()).toEqual(expect.arrayContaining(records));
});

it("the user of a request that was written has requested its run, and can be erased", async () => {
  await write("statements", [statement]);
  await write("runs", [{ run, maxRunningRuns: null, isShareable: true }]);
  await write("requests", [{ request: requestOf("req_1", 5), apiKeyId: null, withdrawnAt: null }]);
  expect([await store.runs.hasRequested("bob", run), await store.runs.hasRequested("ann", run)]).toEqual([true, false]);
  const erased = { runs: 1, executingRuns: 0, sharedRuns: 0, statements: 1 };
  expect(await store.runs.erase({ tenantId: "acme", userId: "bob" }, 10)).toEqual(erased);
});

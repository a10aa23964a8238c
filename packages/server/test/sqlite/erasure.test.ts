import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

const clock = createTestClock();
let path: string;
let store: Store;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  path = join(directory, "test.db");
  store = openSqliteStore(path, { clock });
  return async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
});

const erase = (userId: string) => store.runs.erase({ tenantId: "tenant", userId }, 10);

/** Submits a call that shares the run of the other calls. */
async function share(userId: string) {
  clock.advance(1);
  const run = { userId, reuseKey: "same", tags: { by: userId }, traceparent: `00-${userId}` };
  const request = { id: `req_${userId}`, maxAgeMinutes: 1, resultTTLHours: 1 };
  return accepted(await store.runs.submit(submission(run, { request })));
}

/** Returns the names of the tables with a row that contains a text. */
function tablesWith(text: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()).includes(text));
  database.close();
  return names.toSorted();
}

it("leaves no row with the user in any table but that of keys, also of callers with tokens", async () => {
  const rights = { scopes: ["run"], sources: null, origins: null, networks: null, expiresAt: null } as const;
  const caller = { id: "key", hash: new Uint8Array([1]), lastFour: "abcd", origin: "issued" } as const;
  await store.keys.add({ ...caller, tenantId: "tenant", userId: "user-ann", ...rights });
  const run = { userId: "user-ann", tags: { by: "user-ann" } };
  const idempotency = { apiKeyId: "token of user-ann", key: "used", bodyHash: "a" };
  await store.runs.submit(submission(run, { idempotency }));
  await store.runs.withdrawKey({ apiKeyId: "token of user-ann", key: "withdrawn" });
  await store.runs.withdrawKey({ apiKeyId: "key", key: "withdrawn" });
  await store.runs.claim({ owner: "server", ms: 1 });
  const erased = ["keys", "requested_runs", "requests", "run_tags", "runs", "turns", "withdrawn_keys"];
  expect(tablesWith("user-ann")).toEqual(erased);
  expect(await erase("user-ann")).toEqual({ runs: 1, executingRuns: 1, sharedRuns: 0, statements: 1 });
  expect(tablesWith("user-ann")).toEqual(["keys"]);
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare("SELECT * FROM withdrawn_keys").all()).toEqual([]);
  database.close();
});

it("keeps an unfinished run that another user still wants, under that user and without the trace of the first", async () => {
  const { run } = await share("ann");
  for (const userId of ["bob", "eve"]) await share(userId);
  await store.runs.withdraw({ runId: run.id, requestId: "req_bob", userId: "bob" });
  expect(await erase("ann")).toEqual({ runs: 0, executingRuns: 0, sharedRuns: 1, statements: 0 });
  const kept = await store.runs.run(run.id);
  expect(kept).toMatchObject({ state: "QUERY_STATE_READY", userId: "bob", tags: { by: "bob" } });
  expect(kept?.traceparent).toBeUndefined();
});

it("changes nothing of a run whose own user is not erased", async () => {
  const { run } = await share("ann");
  await share("bob");
  const before = await store.runs.run(run.id);
  expect(await erase("bob")).toEqual({ runs: 0, executingRuns: 0, sharedRuns: 1, statements: 0 });
  expect(await store.runs.run(run.id)).toEqual(before);
  expect(before).toMatchObject({ userId: "ann", tags: { by: "ann" }, traceparent: "00-ann" });
});

it("counts a statement of several runs once, and gives a run to the first of equally old requests", async () => {
  const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
  for (let count = 0; count < 2; count += 1) await store.runs.submit(submission({ userId: "ann" }, { statement }));
  expect(await erase("ann")).toEqual({ runs: 2, executingRuns: 0, sharedRuns: 0, statements: 1 });
  const { run } = await share("ann");
  await share("eve");
  clock.advance(-1);
  await share("bob");
  expect(await erase("ann")).toMatchObject({ sharedRuns: 1 });
  expect(await store.runs.run(run.id)).toMatchObject({ userId: "eve" });
});

it("keeps the withdrawn keys of a user of the same name in another tenant, and of another user", async () => {
  const rights = { scopes: ["run"], sources: null, origins: null, networks: null, expiresAt: null } as const;
  const users = [
    { id: "own", tenantId: "tenant", userId: "ann" },
    { id: "elsewhere", tenantId: "other", userId: "ann" },
    { id: "of bob", tenantId: "tenant", userId: "bob" },
  ];
  for (const [index, { id, ...user }] of users.entries()) {
    const hash = new Uint8Array([index]);
    await store.keys.add({ id, hash, lastFour: "abcd", origin: "issued", ...user, ...rights });
    await store.runs.withdrawKey({ apiKeyId: id, key: "withdrawn" });
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const kept = () => database.prepare("SELECT api_key_id AS id FROM withdrawn_keys ORDER BY id").all();
  expect(kept().map(({ id }) => id)).toEqual(["elsewhere", "of bob", "own"]);
  await erase("ann");
  expect(kept().map(({ id }) => id)).toEqual(["elsewhere", "of bob"]);
  database.close();
});

it("keeps the place in the queue of others", async () => {
  for (const [tenantId, userId] of [
    ["tenant", "ann"],
    ["other", "ann"],
    ["tenant", "bob"],
  ] as const) {
    await store.runs.submit(submission({ tenantId, userId }));
    await store.runs.claim({ owner: "server", ms: 1 });
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const turns = () =>
    database
      .prepare("SELECT tenant_id, user_id FROM turns")
      .all()
      .map((row) => `${row.tenant_id} ${row.user_id}`);
  // A tenant has a place of its own, without a user.
  expect(turns().toSorted()).toEqual(["other ", "other ann", "tenant ", "tenant ann", "tenant bob"]);
  await erase("ann");
  expect(turns().toSorted()).toEqual(["other ", "other ann", "tenant ", "tenant bob"]);
  database.close();
});

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../../fixture.ts";

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
  const erased = ["asked", "keys", "requests", "run_tags", "runs", "turns", "withdrawn_keys"];
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

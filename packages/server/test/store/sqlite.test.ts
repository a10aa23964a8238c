import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createSqliteKeyStore } from "../../src/store/sqlite/key-store.ts";
import { createSqliteRunStore } from "../../src/store/sqlite/run-store.ts";
import { createSqliteTenantStore } from "../../src/store/sqlite/tenant-store.ts";
import { createSqliteUsageStore } from "../../src/store/sqlite/usage-store.ts";
import { temporaryDirectory } from "../fixture.ts";
import { testAskers } from "./askers-contract.ts";
import { testKeyStore } from "./key-store-contract.ts";
import { testRunStore } from "./run-store-contract.ts";
import { submission } from "./submission.ts";
import { testTenantStore } from "./tenant-store-contract.ts";
import { testUsageStore } from "./usage-store-contract.ts";
import { testWithdrawnKeys } from "./withdrawn-keys-contract.ts";

for (const test of [testRunStore, testAskers, testWithdrawnKeys])
  test(async () => {
    const directory = await temporaryDirectory();
    const database = openDatabase(join(directory, "test.db"));
    return {
      store: createSqliteRunStore(database),
      async close() {
        database.close();
        await rm(directory, { recursive: true });
      },
    };
  });

testKeyStore(() => createSqliteKeyStore(openDatabase(":memory:")));
testTenantStore(() => createSqliteTenantStore(openDatabase(":memory:")));
testUsageStore(() => createSqliteUsageStore(openDatabase(":memory:")));

it("takes what another owner has begun for lost at once, since one server at a time has the file", async () => {
  const store = createSqliteRunStore(openDatabase(":memory:"));
  await store.submit(submission(), 0);
  await store.claim({ owner: "the last server", ms: 30_000 }, 0);
  expect(await store.lost("the last server", 1)).toEqual([]);
  expect(await store.lost("this server", 1)).toHaveLength(1);
});

it("asks for the tenant's own cap when a run is taken, not when it was asked for", async () => {
  const database = openDatabase(":memory:");
  const [store, tenants] = [createSqliteRunStore(database), createSqliteTenantStore(database)];
  for (let run = 0; run < 4; run += 1) await store.submit(submission({}, { caps: { maxRunningRuns: 1 } }), 0);
  const claims = async () => (await store.claim({ owner: "server", ms: 30_000 }, 0)) !== undefined;
  expect([await claims(), await claims()]).toEqual([true, false]);
  await tenants.set("tenant", { maxUnfinishedRuns: 9 }, 0);
  expect(await claims()).toBe(false);
  await tenants.set("tenant", { maxRunningRuns: 2 }, 0);
  expect([await claims(), await claims()]).toEqual([true, false]);
  await tenants.set("tenant", { maxRunningRuns: null }, 0);
  expect(await claims()).toBe(true);
  await tenants.set("tenant", { maxRunningRuns: 3 }, 0);
  expect(await claims()).toBe(false);
});

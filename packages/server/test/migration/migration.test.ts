import type { Store } from "@quern/adapter";
import { beforeEach, expect, it } from "vitest";
import { readMarker, writeMarker } from "../../src/migration/marker.ts";
import {
  checkTarget,
  compareStores,
  copyStore,
  finishMigration,
  type StoreMigration,
} from "../../src/migration/migration.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";

let source: Store;
let target: Store;
let progress: unknown[];
let migration: StoreMigration;
beforeEach(async () => {
  [source, target] = [openSqliteStore(":memory:"), openSqliteStore(":memory:")];
  progress = [];
  const places = { from: "the directory a", to: "the directory b" };
  migration = { source, target, ...places, isCheck: false, progress: (...call) => void progress.push(call) };
  await source.tenants.set("acme", { maxRunningRuns: 3 });
  return () => Promise.all([source.close(), target.close()]);
});

it("accepts an empty target, and one that the same migration has begun or ended", async () => {
  await checkTarget(migration);
  for (const state of ["copying", "done"] as const) {
    await writeMarker(target.settings, { from: "the directory a", state });
    await target.tenants.set("acme", {});
    await checkTarget(migration);
  }
});

it("refuses a target with records, and the target of another migration", async () => {
  await target.tenants.set("other", {});
  const refused = (message: string) => ({ name: "MigrationError", message });
  await expect(checkTarget(migration)).rejects.toMatchObject(
    refused("not an empty store: the directory b; name an empty one, or compare the stores with --check"),
  );
  await writeMarker(target.settings, { from: "the directory c", state: "done" });
  await expect(checkTarget(migration)).rejects.toMatchObject(
    refused("target of a migration from the directory c: the directory b; name an empty store"),
  );
});

it("copies the records and the identity of the results, and marks the target until it is finished", async () => {
  for (const name of ["resultStoreId", "resultStoreAddress", "nextResultStoreId"])
    await source.settings.set(name, JSON.stringify(name));
  await copyStore(migration);
  expect(await target.tenants.tenant("acme")).toEqual(await source.tenants.tenant("acme"));
  expect(progress).toEqual([
    ["tenants", 1],
    ["settings", 0],
  ]);
  expect([
    await target.settings.get("resultStoreId"),
    await target.settings.get("resultStoreAddress"),
    await target.settings.get("nextResultStoreId"),
  ]).toEqual(['"resultStoreId"', '"resultStoreAddress"', undefined]);
  expect(await readMarker(target.settings)).toEqual({ from: "the directory a", state: "copying" });
  await finishMigration(migration);
  expect(await readMarker(target.settings)).toEqual({ from: "the directory a", state: "done" });
});

it("marks the target before the first record, so that no server starts on a part of them", async () => {
  const write = () => Promise.reject(new Error("the disk is full"));
  const records = { ...target.records, tenants: { ...target.records.tenants, write } };
  await expect(copyStore({ ...migration, target: { ...target, records } })).rejects.toThrow("the disk is full");
  expect(await readMarker(target.settings)).toEqual({ from: "the directory a", state: "copying" });
});

it("copies nothing more once it is finished", async () => {
  await finishMigration(migration);
  await copyStore(migration);
  expect([await target.tenants.all(), progress]).toEqual([[], []]);
  expect(await readMarker(target.settings)).toEqual({ from: "the directory a", state: "done" });
});

it("compares each kind of records, with its progress and its differences", async () => {
  await copyStore(migration);
  progress.length = 0;
  const equal = await compareStores(migration);
  const kinds = [
    "tenants",
    "keys",
    "settings",
    "usage",
    "usedLinks",
    "statements",
    "runs",
    "requests",
    "idempotencyKeys",
  ];
  expect(equal.differences).toEqual([]);
  expect(equal.kinds).toEqual(
    kinds.map((kind) => {
      const count = kind === "tenants" ? 1 : 0;
      return { kind, source: count, target: count, hash: expect.stringMatching(/^[0-9a-f]{64}$/), isEqual: true };
    }),
  );
  expect(progress).toEqual(kinds.map((kind) => [kind, kind === "tenants" ? 1 : 0]));
  await target.tenants.set("acme", { maxRunningRuns: 4 });
  await source.settings.set("linkSecret", "text");
  const { differences } = await compareStores(migration);
  expect(differences).toEqual([
    { kind: "tenants", id: "acme", fault: "changed" },
    { kind: "settings", id: "linkSecret", fault: "missing" },
  ]);
});

import type { RecordKind, RecordTables } from "@quern/adapter";
import { expect, it } from "vitest";
import { compareRecords, copyRecords, isEmpty, recordKinds } from "../../src/migration/records.ts";

/** Tables with batches of records, which keep what is written to them. */
function tablesOf(records: { readonly [Kind in RecordKind]?: readonly (readonly object[])[] } = {}) {
  const written: Record<string, object[]> = {};
  const table = (kind: RecordKind) => ({
    async *read() {
      yield* records[kind] ?? [];
    },
    async write(batch: object[]) {
      written[kind] = [...(written[kind] ?? []), batch];
    },
  });
  const tables = Object.fromEntries(recordKinds.map((kind) => [kind, table(kind)])) as unknown as RecordTables;
  return { tables, written };
}

const setting = (name: string, text = "text") => ({ name, text });
const tenants = (count: number, createdAt = 1) =>
  Array.from({ length: count }, (_, n) => ({ id: `tenant ${n}`, createdAt }));

it("writes a run after its statement, and a request and its idempotency key after its run", () => {
  expect(recordKinds).toEqual([
    "tenants",
    "keys",
    "settings",
    "usage",
    "usedLinks",
    "statements",
    "runs",
    "requests",
    "idempotencyKeys",
  ]);
});

it.each<[RecordKind, object, string]>([
  ["tenants", { id: "acme" }, "acme"],
  ["keys", { id: "key_1" }, "key_1"],
  ["settings", setting("linkSecret"), "linkSecret"],
  ["usage", { month: "2026-01", tenantId: "acme", userId: "ann" }, "2026-01 acme ann"],
  ["usedLinks", { id: "link" }, "link"],
  ["statements", { id: "st_1" }, "st_1"],
  ["runs", { run: { id: "run_1" } }, "run_1"],
  ["requests", { request: { id: "req_1" } }, "req_1"],
  ["idempotencyKeys", { apiKeyId: "key_1", keyHash: "ab" }, "key_1 ab"],
])("reports a record of the kind %s that is missing, extra or changed by its identity", async (kind, record, id) => {
  const none = tablesOf().tables;
  const one = tablesOf({ [kind]: [[record]] }).tables;
  const changed = tablesOf({ [kind]: [[{ ...record, more: 1 }]] }).tables;
  const counts = (source: number, target: number) => ({ kind, source, target, isEqual: false });
  expect(await compareRecords(kind, one, none)).toMatchObject({
    ...counts(1, 0),
    differences: [{ kind, id, fault: "missing" }],
  });
  expect(await compareRecords(kind, none, one)).toMatchObject({
    ...counts(0, 1),
    differences: [{ kind, id, fault: "extra" }],
  });
  expect(await compareRecords(kind, one, changed)).toMatchObject({
    ...counts(1, 1),
    differences: [{ kind, id, fault: "changed" }],
  });
  const equal = await compareRecords(kind, one, one);
  expect(equal).toMatchObject({ kind, source: 1, target: 1, isEqual: true, differences: [] });
  expect(equal.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(equal.hash).not.toBe((await compareRecords(kind, none, none)).hash);
});

it("finds two stores equal whose batches and members have another order", async () => {
  const [a, b] = [setting("a"), setting("b")];
  const source = tablesOf({ settings: [[a, b]] }).tables;
  const target = tablesOf({ settings: [[{ text: b.text, name: b.name }], [a]] }).tables;
  expect(await compareRecords("settings", source, target)).toMatchObject({ source: 2, target: 2, isEqual: true });
});

it.each([
  ["missing", tenants(40), []],
  ["extra", [], tenants(40)],
  ["changed", tenants(40), tenants(40, 2)],
] as const)("reports ten of many records that are %s", async (fault, source, target) => {
  const compare = ([one, other]: readonly (readonly object[])[]) =>
    compareRecords("tenants", tablesOf({ tenants: [one ?? []] }).tables, tablesOf({ tenants: [other ?? []] }).tables);
  const { differences } = await compare([source, target]);
  expect(differences.map((each) => each.fault)).toEqual(Array(10).fill(fault));
  expect(new Set(differences.map(({ id }) => id)).size).toBe(10);
});

it("copies the batches of a kind with their progress, but no settings of the place of the store", async () => {
  const place = ["migration", "resultStoreId", "resultStoreAddress", "nextResultStoreId"].map((name) => setting(name));
  const source = tablesOf({
    settings: [
      [setting("a"), ...place],
      [setting("b"), setting("c")],
    ],
    tenants: [tenants(1)],
  });
  const target = tablesOf();
  const progress: unknown[] = [];
  await copyRecords("settings", source.tables, target.tables, (...call) => void progress.push(call));
  expect(target.written).toEqual({ settings: [[setting("a")], [setting("b"), setting("c")]] });
  expect(progress).toEqual([
    ["settings", 1],
    ["settings", 3],
  ]);
});

it("takes a store for empty that has only settings of its place", async () => {
  expect(await isEmpty(tablesOf().tables)).toBe(true);
  expect(await isEmpty(tablesOf({ settings: [[setting("migration")]], tenants: [[]] }).tables)).toBe(true);
  expect(await isEmpty(tablesOf({ settings: [[setting("linkSecret")]] }).tables)).toBe(false);
  expect(await isEmpty(tablesOf({ idempotencyKeys: [[{ apiKeyId: "key_1", keyHash: "ab" }]] }).tables)).toBe(false);
});

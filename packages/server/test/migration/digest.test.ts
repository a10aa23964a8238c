import { expect, it } from "vitest";
import { createDigest } from "../../src/migration/digest.ts";

const records = Array.from({ length: 1_000 }, (_, number) => ({ id: `run_${number}`, text: `text ${number}` }));

function digestOf(list: typeof records) {
  const digest = createDigest();
  for (const record of list) digest.add(record);
  return digest;
}

it("has one hash for records in any order, and another one for other records", () => {
  const { hash, count } = digestOf(records);
  expect(count).toBe(1_000);
  expect(digestOf(records.toReversed()).hash()).toBe(hash());
  expect(digestOf(records.slice(1)).hash()).not.toBe(hash());
  const changed = records.map((record) => (record.id === "run_7" ? { ...record, text: "another" } : record));
  expect(digestOf(changed).hash()).not.toBe(hash());
  expect(hash()).toMatch(/^[0-9a-f]{64}$/);
});

it("finds the few records among which the changed, missing and additional ones are", () => {
  const others = [...records.filter(({ id }) => id !== "run_3"), { id: "run_new", text: "" }];
  const changed = others.map((record) => (record.id === "run_7" ? { ...record, text: "another" } : record));
  const differs = digestOf(records).differsAt(digestOf(changed), 10);
  const found = [...records, ...others].map(({ id }) => id).filter(differs);
  expect(found).toEqual(expect.arrayContaining(["run_3", "run_7", "run_new"]));
  expect(new Set(found).size).toBeLessThan(20);
});

it("searches a bounded number of records however many differ", () => {
  const differs = digestOf(records).differsAt(createDigest(), 10);
  const found = records.filter(({ id }) => differs(id)).length;
  expect(found).toBeGreaterThanOrEqual(10);
  expect(found).toBeLessThan(40);
});

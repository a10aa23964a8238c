import { createHash } from "node:crypto";
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

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest();
const bucketOf = (id: string) => sha256(id).readUInt16BE() % 4_096;

it("has in each of 4,096 hashes the exclusive or of the hashes of its records", () => {
  const expected = new Uint8Array(4_096 * 32);
  const some = records.slice(0, 100);
  for (const { id, text } of some)
    for (const [index, byte] of sha256(text).entries()) {
      const at = bucketOf(id) * 32 + index;
      expected[at] = Number(expected[at]) ^ byte;
    }
  const digest = digestOf(some);
  expect(Buffer.compare(digest.bytes, expected)).toBe(0);
  expect(digest.hash()).toBe(sha256(expected).toString("hex"));
});

it("searches the records of the first hashes that differ", () => {
  const differs = digestOf(records).differsAt(createDigest(), 10);
  const buckets = new Set(records.map(({ id }) => bucketOf(id)));
  const found = new Set(records.filter(({ id }) => differs(id)).map(({ id }) => bucketOf(id)));
  expect([...found].toSorted((a, b) => a - b)).toEqual([...buckets].toSorted((a, b) => a - b).slice(0, 10));
});

import { expect, it } from "vitest";
import { compactType, createCompactReader } from "../src/compact-reader.ts";

const reader = (...bytes: number[]) => createCompactReader(Buffer.from(bytes));

it.each([
  [[0], 0],
  [[1], -1],
  [[2], 1],
  [[3], -2],
  [[0x7f], -64],
  [[0x80, 0x01], 64],
  [[0xfe, 0xff, 0x03], 32_767],
  [[0xff, 0xff, 0xff, 0xff, 0x0f], -2_147_483_648],
])("reads the integer %o as %i", (bytes, value) => {
  const { integer, position } = reader(...bytes);
  expect(integer()).toBe(value);
  expect(position()).toBe(bytes.length);
});

it("yields fields by the difference of their ids, or by their ids", () => {
  const read = reader(0x15, 2, 0x25, 4, 0x05, 0x28, 6, 0x15, 8, 0, 9);
  const values: number[][] = [];
  for (const { id, type } of read.fields()) values.push([id, type, read.integer()]);
  expect(values).toEqual([
    [1, 5, 1],
    [3, 5, 2],
    [20, 5, 3],
    [21, 5, 4],
  ]);
  expect(read.position()).toBe(10);
});

it("reads the head of a short and of a long list", () => {
  expect(reader(0x35).list()).toEqual({ size: 3, type: 5 });
  expect(reader(0xe8).list()).toEqual({ size: 14, type: 8 });
  expect(reader(0xfc, 0x90, 0x01).list()).toEqual({ size: 144, type: compactType.struct });
});

it.each([
  ["a boolean", 1, [], 0],
  ["a false boolean", 2, [], 0],
  ["a byte", 3, [9], 1],
  ["an integer of 16 bits", 4, [0x80, 0x01], 2],
  ["an integer of 32 bits", 5, [0x01], 1],
  ["an integer of 64 bits", 6, [0xff, 0x80, 0x01], 3],
  ["a double", 7, [1, 2, 3, 4, 5, 6, 7, 8], 8],
  ["a text", compactType.text, [3, 1, 2, 3], 4],
  ["a list of booleans", compactType.list, [0x31, 1, 2, 1], 4],
  ["a list of texts", compactType.list, [0x28, 1, 7, 0], 4],
  ["an empty list", compactType.list, [0x05], 1],
  ["a struct", compactType.struct, [0x11, 0x15, 2, 0x18, 1, 7, 0], 7],
])("skips %s", (_, type, bytes, length) => {
  const { skip, position } = reader(...bytes, 0, 0, 0);
  skip(type);
  expect(position()).toBe(length);
});

it("refuses an unknown type, and values beyond the end", () => {
  expect(() => reader(0).skip(10)).toThrow("Invalid Parquet footer: unknown type 10.");
  expect(() => reader(0).skip(0)).toThrow("unknown type 0");
  expect(() => reader(3, 1, 2).skip(compactType.text)).toThrow("Invalid Parquet footer: it is truncated.");
  expect(() => reader(2, 1, 2).skip(compactType.text)).not.toThrow();
  expect(() => reader(0x80).integer()).toThrow(RangeError);
});

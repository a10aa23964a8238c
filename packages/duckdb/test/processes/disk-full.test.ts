import { isSystemDiskFull } from "@quern/adapter";
import { expect, it } from "vitest";
import { diskFullFailure, withDiskFull } from "../../src/processes/disk-full.ts";

const message = 'Could not write file "/data/work/x": No space left on device';

it.each([
  ["the engine", { name: "IOError", message, data: { category: "DATA_SOURCE" as const } }],
  [
    "the process",
    { name: "InternalError", message: "ENOSPC: no space left on device", data: { category: "INTERNAL" as const } },
  ],
])("a full disk that %s reports is one failure", (_, failure) => {
  expect(withDiskFull(failure)).toBe(diskFullFailure);
});

it.each([
  ["a statement", { name: "InvalidInputError", message, data: { category: "USER" as const } }],
  ["another cause", { name: "IOError", message: "No such file", data: { category: "DATA_SOURCE" as const } }],
])("the failure of %s stays", (_, failure) => {
  expect(withDiskFull(failure)).toBe(failure);
});

it.each(["NO SPACE LEFT ON DEVICE", "disk quota exceeded", "There is not enough space on the disk."])(
  "%s means a full disk",
  (text) => {
    expect(withDiskFull({ name: "IOError", message: text, data: { category: "DATA_SOURCE" } })).toEqual({
      name: "StorageFull",
      message: "The disk of the service is full; run the query again when it has space.",
      data: { category: "RESOURCE", retryable: true },
    });
  },
);

it("knows the errors of the operating system", () => {
  const coded = (code: string): Error => Object.assign(new Error("x"), { code });
  const errors = [coded("ENOSPC"), coded("EDQUOT"), coded("EIO"), new Error("ENOSPC"), { code: "ENOSPC" }, undefined];
  expect(errors.map(isSystemDiskFull)).toEqual([true, true, false, false, false, false]);
});

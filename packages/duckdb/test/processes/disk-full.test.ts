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

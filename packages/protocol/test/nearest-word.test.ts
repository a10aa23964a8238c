import { expect, it } from "vitest";
import { nearestWord } from "../src/nearest-word.ts";

it.each([
  ["maxDept", "maxDepth"],
  ["MAXDEPTH", "maxDepth"],
  ["prot", "port"],
  ["hots", "host"],
  ["log", "logLevel"],
  ["maxBatchSize", undefined],
  ["po", "port"],
  ["lo", undefined],
  ["toString", undefined],
  ["", undefined],
])("takes %j for %j", (word, meant) => {
  expect(nearestWord(word, ["maxDepth", "port", "host", "logLevel", "logLevelOfCalls"])).toBe(meant);
});

it("takes the word at the smallest distance, not the first that is near", () => {
  expect(nearestWord("rows", ["row", "rowss", "rows"])).toBe("rows");
});

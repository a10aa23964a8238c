import { expect, it } from "vitest";
import { type ChildKind, childCounts, countChild } from "../../src/processes/child-counts.ts";

/** Returns `busy/idle` of a kind. */
const countOf = (kind: ChildKind): string => {
  const counts = childCounts().filter((count) => count.kind === kind);
  return counts.map(({ state, count }) => `${state} ${count}`).join(", ");
};

it("counts the processes of a kind by their state until they end", () => {
  let isBusy = false;
  const ends = [countChild("copy", () => isBusy), countChild("copy", () => true), countChild("write", () => true)];
  expect(countOf("copy")).toBe("busy 1, idle 1");
  isBusy = true;
  expect(countOf("copy")).toBe("busy 2, idle 0");
  ends[0]?.();
  ends[0]?.();
  expect(countOf("copy")).toBe("busy 1, idle 0");
  for (const end of ends) end();
  expect(countOf("copy")).toBe("busy 0, idle 0");
});

it("has two counts for each kind", () => {
  expect(childCounts().map(({ kind, state }) => `${kind} ${state}`)).toEqual(
    ["statement", "page", "copy", "download", "write", "other"].flatMap((kind) => [`${kind} busy`, `${kind} idle`]),
  );
});

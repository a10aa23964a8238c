import { expect, it } from "vitest";
import { createRunProgress } from "../../src/runs/run-progress.ts";

it.each([
  [0.25, 0.25],
  [0, 0],
  [1, 1],
  [-0.5, 0],
  [1.5, 1],
  [null, undefined],
])("of a run whose engine reports %s is %s", (share, expected) => {
  const progress = createRunProgress();
  progress.track("run_a", () => share);
  expect([progress.of("run_a"), progress.of("run_b")]).toEqual([expected, undefined]);
});

it("is forgotten at the end of the attempt, unless a later attempt of the run is tracked", () => {
  const progress = createRunProgress();
  const stopFirst = progress.track("run_a", () => 0.1);
  const stopSecond = progress.track("run_a", () => 0.2);
  stopFirst();
  expect(progress.of("run_a")).toBe(0.2);
  stopSecond();
  expect(progress.of("run_a")).toBeUndefined();
});

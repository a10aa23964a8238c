import { describe, expect, it } from "vitest";
import {
  firstPoll,
  nextInstant,
  pollScript,
  shareOf,
  stageInstant,
  stageOf,
  timeScript,
} from "../../src/runs/run-script.ts";

describe("a script of polls", () => {
  it.each([
    [1, ["queued", "ended", "ended"]],
    [2, ["queued", "running", "ended"]],
    [3, ["queued", "running", "streaming", "ended"]],
    [4, ["queued", "running", "running", "streaming", "ended", "ended"]],
  ])("of %i polls goes through %j", (polls, stages) => {
    expect(stages.map((_, at) => stageOf(pollScript(polls), at, 1e9))).toEqual(stages);
  });

  it("ends at the first poll by default", () => {
    expect(firstPoll).toEqual({ polls: 1 });
  });

  it("takes no time", () => {
    expect(stageInstant({ polls: 3 }, "ended", 1_000, 5_000)).toBe(5_000);
    expect(nextInstant({ polls: 3 }, 1_000, 5_000)).toBeUndefined();
  });

  it("has done the share of its polls, and no more than all", () => {
    expect([0, 1, 2, 4, 5].map((polls) => shareOf({ polls: 4 }, polls, 1e9))).toEqual([0, 0.25, 0.5, 1, 1]);
  });

  it.each([0, -1, 1.5, Number.NaN, "2"])("cannot have %j polls", (polls) => {
    expect(() => pollScript(polls as number)).toThrow(RangeError);
  });
});

describe("a script of time", () => {
  const script = timeScript("100ms");

  it.each([
    [0, "running"],
    [89, "running"],
    [90, "streaming"],
    [99, "streaming"],
    [100, "ended"],
  ])("is after %i ms %s, whatever its polls", (elapsedMs, stage) => {
    expect([stageOf(script, 0, elapsedMs), stageOf(script, 9, elapsedMs)]).toEqual([stage, stage]);
  });

  it.each([
    ["queued", 1_000],
    ["running", 1_000],
    ["streaming", 1_090],
    ["ended", 1_100],
  ] as const)("reaches %s at %i", (stage, instant) => {
    expect(stageInstant(script, stage, 1_000, 5_000)).toBe(instant);
  });

  it("has whole instants", () => {
    expect(stageInstant({ ms: 7 }, "streaming", 0, 0)).toBe(6);
    expect(nextInstant({ ms: 7 }, 0, 0)).toBe(7);
  });

  it.each([
    [1_000, 1_090],
    [1_089, 1_090],
    [1_090, 1_100],
    [1_099, 1_100],
    [1_100, undefined],
  ])("has at %i the next stage at %j", (now, instant) => {
    expect(nextInstant(script, 1_000, now)).toBe(instant);
  });

  it("has done its statement when its rows are streamed", () => {
    expect([-1, 0, 45, 90, 95].map((elapsedMs) => shareOf(script, 0, elapsedMs))).toEqual([0, 0, 0.5, 1, 1]);
  });
});

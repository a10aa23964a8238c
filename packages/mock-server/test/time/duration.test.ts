import { expect, it } from "vitest";
import { type Duration, durationMs, durationText } from "../../src/time/duration.ts";

it.each<[Duration, number]>([
  [0, 0],
  [1.5, 1.5],
  ["250ms", 250],
  ["1.5s", 1_500],
  ["2m", 120_000],
  ["3h", 10_800_000],
  ["1d", 86_400_000],
])("%j is %i milliseconds", (duration, ms) => {
  expect(durationMs(duration)).toBe(ms);
});

it.each(["", "5", "ms", "-1s", "1 s", "x1s", "1sx", "1.s", "1w", -1, Number.NaN, Infinity])(
  "%j is no duration",
  (duration) => {
    expect(() => durationMs(duration as Duration)).toThrow(
      `invalid duration ${JSON.stringify(duration)}: write a number of milliseconds, or "250ms", "30s", "5m", "2h", "1d"`,
    );
  },
);

it.each([
  [0, "0ms"],
  [1.5, "1.5ms"],
  [1_500, "1500ms"],
  [30_000, "30s"],
  [90_000, "90s"],
  [7_200_000, "2h"],
])("%i milliseconds are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

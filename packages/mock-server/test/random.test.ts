import { expect, it } from "vitest";
import { randomOf } from "../src/random.ts";

it("numbers of the same parts are the same in every version, so that a seed repeats a test", () => {
  const random = randomOf(7, "select 1", null);
  expect(Array.from({ length: 6 }, () => random.below(1_000_000))).toEqual([
    877_150, 614_382, 939_409, 526_858, 112_496, 111_528,
  ]);
});

it("numbers of other parts differ", () => {
  const first = (...parts: readonly unknown[]) => randomOf(...parts).below(2 ** 31);
  expect(new Set([first(7, "a"), first(8, "a"), first(7, "b"), first("a", 7), first(7, ["a"])]).size).toBe(5);
});

it("numbers are whole, from 0 up to the end, and all about equally frequent", () => {
  const random = randomOf("frequency");
  const counts = new Map<number, number>();
  for (let at = 0; at < 4_000; at += 1) {
    const number = random.below(4);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3]);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

it("a chance of one in some is met that often", () => {
  const random = randomOf("chance");
  const met = Array.from({ length: 4_000 }, () => random.oneIn(8)).filter(Boolean).length;
  expect(Math.abs(met - 500)).toBeLessThan(100);
  expect(random.oneIn(1)).toBe(true);
});

it("each choice is picked, and shuffled items are all the items in another order", () => {
  const random = randomOf("choices");
  expect(new Set(Array.from({ length: 50 }, () => random.pick(["a", "b", "c"])))).toEqual(new Set(["a", "b", "c"]));
  const items = Array.from({ length: 20 }, (_, at) => at);
  const shuffled = random.shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
  expect(items[0]).toBe(0);
});

import { expect, it } from "vitest";
import { mapConcurrently } from "../../src/server/conform.ts";

it("runs a few at once, the last first, and returns the outcomes in order", async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const outcomes = mapConcurrently([1, 2, 3, 4, 5], async (item) => {
    begun.push(item);
    await new Promise<void>((resolve) => ends.push(resolve));
    return item * 10;
  });
  expect(begun).toEqual([5, 4, 3]);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(begun).toEqual([5, 4, 3, 2, 1]);
  expect(await outcomes).toEqual([10, 20, 30, 40, 50]);
});

it("rejects with the error of the work", async () => {
  await expect(mapConcurrently([1, 2], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});

import { expect, test, vi } from "vitest";
import { readCars } from "./queries.mjs";

test("the timers that vitest replaces by default are fake", async () => {
  vi.useFakeTimers();
  expect(await readCars()).toBe("1,2,3 1,2,3");
  vi.useRealTimers();
});

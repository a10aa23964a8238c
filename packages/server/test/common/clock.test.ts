import { expect, it, vi } from "vitest";
import { systemClock } from "../../src/common/clock.ts";

it("has the time of the machine", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_234 });
  expect(systemClock.now()).toBe(1_234);
  vi.useRealTimers();
});

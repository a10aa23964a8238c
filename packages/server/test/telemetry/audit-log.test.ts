import { expect, it } from "vitest";
import { createRefusalThrottle } from "../../src/telemetry/audit-log.ts";
import { createTestClock } from "../fixture.ts";

it("logs the first refusals of each minute, and counts the others", () => {
  const clock = createTestClock();
  const refusals = createRefusalThrottle(clock);
  const lines = Array.from({ length: 700 }, refusals).filter((line) => line !== undefined);
  expect(lines).toEqual(Array(600).fill({}));
  clock.advance(60_000);
  expect([refusals(), refusals()]).toEqual([{ suppressed: 100 }, {}]);
});

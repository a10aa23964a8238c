import { expect, it } from "vitest";
import { limitsInForce } from "../../src/common/limits.ts";
import { memoryLimits } from "../../src/common/memory-limits.ts";
import type { ServerLimits } from "../../src/generated/limits.ts";

const of = (configured: ServerLimits, machineGigabytes: number) =>
  memoryLimits(limitsInForce(configured), configured, machineGigabytes * 1e9);

it("follows from the memory of the machine", () => {
  expect(of({}, 64)).toMatchObject({ maxMemoryMegabytes: 51_200, memoryMegabytes: 1_000, maxIdleProcesses: 32 });
  expect(of({}, 2)).toMatchObject({ maxMemoryMegabytes: 1_600, memoryMegabytes: 800, maxIdleProcesses: 3 });
  expect(of({}, 0.25)).toMatchObject({
    maxMemoryMegabytes: 500,
    memoryMegabytes: 250,
    maxIdleProcesses: 1,
    maxRunningRuns: 1,
  });
});

it("follows from one setting, and keeps limits that are set", () => {
  expect(of({ maxMemoryMegabytes: 1_000 }, 64)).toMatchObject({ memoryMegabytes: 500, maxIdleProcesses: 2 });
  const configured = { maxMemoryMegabytes: 1_000, memoryMegabytes: 900, maxIdleProcesses: 7, maxRunningRuns: 9 };
  expect(of(configured, 64)).toMatchObject(configured);
});

it("refuses memory that is too small for one process", () => {
  expect(() => of({ maxMemoryMegabytes: 499 }, 64)).toThrow(/^Invalid limit maxMemoryMegabytes: expected .*500.*499/);
  expect(() => of({ maxMemoryMegabytes: 800, memoryMegabytes: 900 }, 64)).toThrow(
    "Invalid limit memoryMegabytes: must be at most maxMemoryMegabytes, which is 800, got 900; lower it, or raise maxMemoryMegabytes.",
  );
});

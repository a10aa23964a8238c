import { availableParallelism, totalmem } from "node:os";
import { expect, it, vi } from "vitest";
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

it("executes as many runs as the machine has processors, if they have memory", () => {
  expect(of({}, 512).maxRunningRuns).toBe(availableParallelism());
  expect(of({ maxMemoryMegabytes: 999 }, 64).maxRunningRuns).toBe(1);
});

it.each([
  ["the limit of its control group", 1e9, 800],
  ["the machine if there is no limit", 0, Math.floor((totalmem() / 1e6) * 0.8)],
  ["the machine if the limit is above it", totalmem() * 2, Math.floor((totalmem() / 1e6) * 0.8)],
])("follows from the memory of %s", (_, constrained, maxMemoryMegabytes) => {
  const spy = vi.spyOn(process, "constrainedMemory").mockReturnValue(constrained);
  expect(memoryLimits(limitsInForce({}), {}).maxMemoryMegabytes).toBe(maxMemoryMegabytes);
  spy.mockRestore();
});

it("lets one process use all of the memory", () => {
  const configured = { maxMemoryMegabytes: 800, memoryMegabytes: 800 };
  expect(of(configured, 64)).toMatchObject(configured);
});

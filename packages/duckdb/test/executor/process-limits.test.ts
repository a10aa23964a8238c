import { expect, it } from "vitest";
import { checkLimits } from "../../src/executor/process-limits.ts";

const limits = {
  memoryMegabytes: 1,
  spillMegabytes: 0.5,
  maxResultBytes: Number.POSITIVE_INFINITY,
  statementTimeoutSeconds: 1,
  maxIdleProcessesOfUser: 1,
  idleProcessSeconds: 1,
};

it("accepts limits above 0", () => expect(() => checkLimits(limits)).not.toThrow());

it.each([0, -1, Number.NaN, undefined, "5"])("refuses the limit %s", (value) => {
  const invalid = { ...limits, idleProcessSeconds: value as number };
  expect(() => checkLimits(invalid)).toThrow(
    new TypeError(`Invalid limit idleProcessSeconds: expected a number above 0, got ${value}.`),
  );
});

import type { StatementProcessLimits } from "../../src/executor/process-limits.ts";

/** Limits that no test reaches. */
export const statementLimits: StatementProcessLimits = {
  memoryMegabytes: 1_000,
  spillMegabytes: 4_000,
  maxResultBytes: 10_000_000_000,
  statementTimeoutSeconds: 1_200,
  maxIdleProcessesOfUser: 4,
  idleProcessSeconds: 60,
};

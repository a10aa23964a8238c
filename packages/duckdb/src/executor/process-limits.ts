import { totalmem } from "node:os";
/** Limits of statements and of their processes. They have no defaults here: the service defines them. */
export interface StatementProcessLimits {
  /**
   * Memory of the engine, in MB. The process may use 1,000 MB more, because the engine does not count all of its
   * memory.
   */
  readonly memoryMegabytes: number;
  /** Disk space for data that does not fit into the memory, in MB. */
  readonly spillMegabytes: number;
  /** Largest file of a result, in bytes. A statement may have a smaller limit. */
  readonly maxResultBytes: number;
  /**
   * Time for which a statement can at least use all threads, in seconds. A process is killed after processor time of
   * `2 * (statementTimeoutSeconds + 60) * (threads + 1)` seconds. To limit the duration of a statement, abort its signal.
   */
  readonly statementTimeoutSeconds: number;
  /** Largest number of processes that wait for the next statement of one user on one source. */
  readonly maxIdleProcessesOfUser: number;
  /** Time after which a process that waits for the next statement of its user ends, in seconds. */
  readonly idleProcessSeconds: number;
}

/** A missing limit would be NaN, which limits nothing. */
export function checkLimits(limits: StatementProcessLimits): void {
  for (const [name, value] of Object.entries(limits))
    if (typeof value !== "number" || !(value > 0))
      throw new TypeError(`Invalid limit ${name}: expected a number above 0, got ${value}.`);
}

/** Memory that a machine must have for each idle process, in bytes. */
const machineBytesOfIdleProcess = 500_000_000;

/** Returns the number of idle processes that a machine has memory for. */
export function defaultIdleProcesses(): number {
  return Math.min(Math.max(Math.floor(totalmem() / machineBytesOfIdleProcess), 1), 32);
}

import { availableParallelism, totalmem } from "node:os";
import type { ServerLimits } from "../generated/limits.ts";
import type { LimitsInForce } from "./limits.ts";

/** Limits that follow from the memory of all processes. */
type MemoryLimits = LimitsInForce &
  Required<Pick<ServerLimits, "maxMemoryMegabytes" | "maxIdleProcesses" | "maxRunningRuns">>;

/** Share of the memory of the machine that the processes may use. The rest is for the server, the files and others. */
const shareOfProcesses = 0.8;
/** Memory for each process that runs or is idle, in MB. An idle one uses about 100 MB. */
const megabytesOfProcess = 500;
const maxIdleProcesses = 32;

/**
 * Adds the limits that follow from the memory of all processes. By default, the engine of a statement has at most
 * half of it.
 * @param configured Limits that the operator has set.
 * @throws {Error} if one statement may use more memory than all processes together
 */
export function memoryLimits(
  limits: LimitsInForce,
  configured: ServerLimits,
  machineBytes = machineMemory(),
): MemoryLimits {
  const ofMachine = Math.floor((machineBytes / 1e6) * shareOfProcesses);
  const { maxMemoryMegabytes = Math.max(ofMachine, megabytesOfProcess) } = limits;
  const { memoryMegabytes = Math.min(limits.memoryMegabytes, Math.floor(maxMemoryMegabytes / 2)) } = configured;
  if (memoryMegabytes > maxMemoryMegabytes)
    throw new Error(
      `Invalid limit memoryMegabytes: must be at most maxMemoryMegabytes, which is ${maxMemoryMegabytes}, got ${memoryMegabytes}; lower it, or raise maxMemoryMegabytes.`,
    );
  const processes = Math.max(Math.floor(maxMemoryMegabytes / megabytesOfProcess), 1);
  return {
    maxIdleProcesses: Math.min(processes, maxIdleProcesses),
    maxRunningRuns: Math.min(processes, availableParallelism()),
    ...limits,
    maxMemoryMegabytes,
    memoryMegabytes,
  };
}

/** Returns the memory of the machine, or of the control group of the service if that is less, in bytes. */
function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

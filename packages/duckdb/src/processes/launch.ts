import { type ChildProcess, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { type Sandboxing, sandboxing } from "./sandbox-layers.ts";
import type { ParentMessage } from "./serving.ts";

/** Priority of a process: that of the server, or lower. */
export type Priority = "normal" | "low";

/** Priority of a process, also between the two that an operator can choose. */
export type ProcessPriority = Priority | "reduced";

/** Limits that the kernel enforces, on systems that can. */
interface ProcessLimits {
  /** Largest private memory, in bytes. The memory watchdog applies the same limit to the resident memory. */
  readonly maxMemoryBytes: number;
  /** Largest processor time of all threads together, in seconds. @default no limit */
  readonly maxProcessorSeconds?: number | undefined;
  /** Largest size of each file that the process writes, in bytes. @default no limit */
  readonly maxFileBytes?: number | undefined;
}

export interface LaunchOptions extends ProcessLimits {
  /** User id of the process, which then has no group of the service. @default the user of the service */
  readonly userId?: number | undefined;
  /** @default "normal" */
  readonly priority?: ProcessPriority;
}

/** A process forked with an IPC channel always has `send`; the types of Node.js declare it optional. */
export type LaunchedProcess = ChildProcess & {
  send(message: ParentMessage, done: (error: Error | null) => void): boolean;
};

/** The engine returns structs as objects, in which `__proto__` must be a member like any other. */
const nodeFlags = ["--disable-proto=delete"];

/**
 * Niceness of a child above that of the server. While both compete for a processor on Linux, a child of reduced priority
 * gets about a third of the time of the server, and one of low priority about a tenth.
 */
const nicenessAboveServer: Readonly<Record<ProcessPriority, number>> = { normal: 0, reduced: 5, low: 10 };

/**
 * Added to the score by which the kernel chooses the process to end, in thousandths of the memory of the machine. The
 * score of the server is about the share of the memory that it uses, so a process of a few MB comes before a server
 * that uses less than half of the memory.
 */
const outOfMemoryScore = 500;

/** Enough for the files of the engine and of a table, and too few to exhaust the file handles of the machine. */
const maxOpenFiles = 1_024;

/** Starts a module in a process of its own, inside each sandbox layer that the machine has. */
export function launch(module: URL, directory: string, options: LaunchOptions): LaunchedProcess {
  const { hasGroups } = sandboxing();
  const [execPath = process.execPath, ...execArgv] = [
    ...confinement(options, sandboxing()),
    process.execPath,
    ...nodeFlags,
    // Otherwise SIGUSR1 opens a debugger in the process.
    "--disable-sigusr1",
  ];
  const launched = fork(module, {
    execPath,
    execArgv,
    cwd: directory,
    env: {}, // SQL must not reach the secrets of the server
    detached: hasGroups,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  }) as LaunchedProcess; // "ipc" in `stdio` gives it `send`
  lowerPriority(launched.pid, nicenessAboveServer[options.priority ?? "normal"]);
  endFirst(launched.pid);
  return launched;
}

/** Lowers the priority of a process below that of the server, and below that of other programs of the machine. */
function lowerPriority(pid: number | undefined, aboveServer: number): void {
  if (pid === undefined || aboveServer === 0) return;
  try {
    const niceness = Math.min(getPriority() + aboveServer, constants.priority.PRIORITY_LOW);
    setPriority(pid, niceness);
    // Linux divides the processor among groups first, and a detached process is a group of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The process has ended, or the system has no process groups or priorities.
  }
}

/** Makes the kernel end a process before the server if the machine has no memory left. */
function endFirst(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(outOfMemoryScore));
  } catch {
    // The process has ended, or the system has no such score.
  }
}

/** Kills a process, and all processes that it has started if the system has process groups. */
export function killLaunched(launched: ChildProcess): void {
  const { pid, exitCode, signalCode } = launched;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(sandboxing().hasGroups ? -pid : pid, "SIGKILL");
  } catch {
    // The process has just ended.
  }
}

/**
 * Returns the command line that precedes the program. Each command replaces itself with the next one (exec), so the
 * process that runs the program is the one that was started.
 */
export function confinement(limits: LaunchOptions, machine: Omit<Sandboxing, "layers">): string[] {
  const { prlimit, withoutNetwork = [] } = machine;
  const { userId } = limits;
  const [setpriv, ...flags] = machine.withoutPrivileges ?? [];
  const withoutPrivileges = setpriv === undefined ? [] : [setpriv, ...(userId ? userFlags(userId) : []), ...flags];
  const limited = prlimit === undefined ? [] : [prlimit, ...limitFlags(limits), "--"];
  return [...limited, ...withoutNetwork, ...withoutPrivileges];
}

/** Returns the flags of setpriv for a user id, with the group of the same number and no other groups. */
function userFlags(userId: number): string[] {
  return [`--reuid=${userId}`, `--regid=${userId}`, "--clear-groups"];
}

/** Time between the soft limit, whose signal SIGXCPU tells why the process ended, and the hard limit. */
const processorGraceSeconds = 5;

function limitFlags({ maxMemoryBytes, maxProcessorSeconds, maxFileBytes }: ProcessLimits): string[] {
  return [
    `--data=${maxMemoryBytes}`,
    ...(maxProcessorSeconds === undefined
      ? []
      : [`--cpu=${maxProcessorSeconds}:${maxProcessorSeconds + processorGraceSeconds}`]),
    ...(maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]),
    `--nofile=${maxOpenFiles}`,
    "--core=0",
  ];
}

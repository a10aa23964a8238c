import { type ChildProcess, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { type Sandboxing, sandboxing } from "./sandbox-layers.ts";
import type { ParentMessage } from "./serving.ts";

/** What the kernel keeps a process from, where it can. */
export interface ProcessLimits {
  /** Private memory; the watchdog holds the process to it, too. */
  readonly maxMemoryBytes: number;
  /** Of all its threads together. No limit where left out. */
  readonly maxProcessorSeconds?: number | undefined;
  /** Of each file it writes. No limit where left out. */
  readonly maxFileBytes?: number | undefined;
}

/** A `fork` with an IPC channel always has `send`; the types do not know. */
export type LaunchedProcess = ChildProcess & {
  send(message: ParentMessage, done: (error: Error | null) => void): boolean;
};

/** The engine's values are objects by member name, where `__proto__` is a name like any other. */
const nodeFlags = ["--disable-proto=delete"];

/** In steps of niceness, of which each gives a process about a tenth less. */
const stepsBehindServer = 10;

/** Enough for the engine's files and a table's, too few to starve the machine. */
const maxOpenFiles = 1_024;

/** Starts a module in a process of its own, behind each layer that the machine has. */
export function launch(module: URL, directory: string, limits: ProcessLimits): LaunchedProcess {
  const { hasGroups } = sandboxing();
  const [execPath = process.execPath, ...execArgv] = [
    ...confinement(limits, sandboxing()),
    process.execPath,
    ...nodeFlags,
  ];
  const launched = fork(module, {
    execPath,
    execArgv,
    cwd: directory,
    env: {}, // no secret of the server is in reach of SQL
    detached: hasGroups,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  }) as LaunchedProcess; // the "ipc" above makes it one
  yieldToServer(launched.pid);
  return launched;
}

/** However many processes compute, the server answers: where both want the processor, it comes first. */
function yieldToServer(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    const niceness = Math.min(getPriority() + stepsBehindServer, constants.priority.PRIORITY_LOW);
    setPriority(pid, niceness);
    // Linux shares the processor among groups first, and a detached process is a group of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The process has ended already, or the machine has no groups, or no priorities.
  }
}

/** Ends a process and all that it has started. */
export function killLaunched(launched: ChildProcess): void {
  const { pid, exitCode, signalCode } = launched;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(sandboxing().hasGroups ? -pid : pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** The words before the program: each hands over to the next in the same process. */
export function confinement(limits: ProcessLimits, machine: Omit<Sandboxing, "layers">): string[] {
  const { prlimit, withoutNetwork = [], withoutPrivileges = [] } = machine;
  const limited = prlimit === undefined ? [] : [prlimit, ...limitFlags(limits), "--"];
  return [...limited, ...withoutNetwork, ...withoutPrivileges];
}

/** Below the hard limit the process is told by a signal of its own, which says why it ended. */
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

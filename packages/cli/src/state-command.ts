import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type StopSignal, stopSignals } from "./errors/exit-code.ts";

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const graceMs = 500;

/**
 * Runs a shell command with a JSON value on stdin. At the abort, and at a stop signal of this process, all processes of the
 * command end: with SIGTERM or the stop signal, and 500 ms later with SIGKILL.
 * @throws Error if the exit code is not 0
 */
export async function runStateCommand(command: string, input: unknown, abort: AbortSignal): Promise<void> {
  // The shell starts further processes, which only a signal to their group reaches.
  const child = spawn(command, { shell: true, detached: true, stdio: ["pipe", "ignore", "pipe"] });
  let timer: NodeJS.Timeout | undefined;
  let stoppedBy: StopSignal | undefined;
  const end = (signal: NodeJS.Signals) => {
    signalGroup(child, signal);
    timer ??= setTimeout(() => {
      signalGroup(child, "SIGKILL");
      // A process that has left the group may keep the pipe open.
      child.stderr.destroy();
    }, graceMs);
  };
  const endAtAbort = () => end("SIGTERM");
  // A group of its own gets no signal of the terminal.
  const stop = (signal: StopSignal) => {
    stoppedBy = signal;
    end(signal);
  };
  const names = Object.keys(stopSignals) as readonly StopSignal[]; // the keys of `stopSignals`
  for (const name of names) process.once(name, stop);
  abort.addEventListener("abort", endAtAbort, { once: true });
  try {
    // A command that does not read its input closes the pipe.
    child.stdin.on("error", () => {}).end(JSON.stringify(input));
    const [[status, killedBy], stderr] = await Promise.all([once(child, "close"), text(child.stderr)]);
    const ending = status === null ? `the signal ${killedBy}` : `exit code ${status}`;
    if (status !== 0) throw new Error([`the command ended with ${ending}`, stderr.trim()].filter(Boolean).join(": "));
  } finally {
    for (const name of names) process.off(name, stop);
    abort.removeEventListener("abort", endAtAbort);
    clearTimeout(timer);
    if (timer !== undefined) signalGroup(child, "SIGKILL");
    if (stoppedBy !== undefined) process.exit(stopSignals[stoppedBy]);
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}

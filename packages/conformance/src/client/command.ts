import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { isObject } from "../server/json.ts";
import type { AdversaryCase, CaseCall, Ending } from "./case.ts";
import { type CaseRunner, invalidOutput, resultEnding } from "./run-case.ts";

/** Time beyond the deadlines of all calls, in milliseconds, for the process to start and to end. */
const guardMs = 10_000;

/** Number of characters of the command's output that a problem quotes. */
const maxQuoted = 100;

/** The shell cannot start the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * Runs a client in any language: a command that is started once for each case. It reads one JSON object from stdin,
 * `{ url, apiKey, timeoutMs, calls?, sequence?, query? }`, makes the calls, writes
 * `{ endings: [{ result } | { error }] }` to stdout, each error an `Ending`, and exits. A SIGINT tells it that the caller aborts;
 * a command that the signal ends has the ending `aborted`.
 */
export function commandRunner(command: string): CaseRunner {
  return async (one, service, signal) => {
    const { calls, sequence, query } = one;
    const child = spawn(command, { shell: true, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    let isInterrupted = false;
    let isLate = false;
    const interrupt = () => {
      isInterrupted = true;
      kill(child, "SIGINT");
    };
    signal.addEventListener("abort", interrupt);
    const deadlines = (calls?.length ?? 0) + (sequence?.length ?? 0) + 1;
    const giveUp = () => {
      isLate = true;
      kill(child, "SIGKILL");
    };
    const guard = setTimeout(giveUp, deadlines * service.timeoutMs + guardMs);
    try {
      // A command that exits without reading its input closes the pipe.
      child.stdin.on("error", () => {}).end(JSON.stringify({ ...service, calls, sequence, query }));
      const [[status, killed], stdout, stderr] = await Promise.all([
        once(child, "close"),
        text(child.stdout),
        text(child.stderr),
      ]);
      if (killed === null && (status === 126 || status === 127) && stdout === "")
        throw new CommandError(`cannot start the command: ${[command, ...lastLine(stderr)].join(": ")}`);
      const endings = endingsIn(stdout, one);
      if (endings !== undefined) return endings;
      if (isLate) return one.endings.map(() => "never");
      // A shell reports a process that SIGINT ended with the exit code 128 + 2.
      if (isInterrupted && (killed === "SIGINT" || status === 130)) return one.endings.map(() => "aborted");
      const exit = killed === null ? `exit code ${status}` : `ended by ${killed}`;
      const output = `${invalidOutput} ${JSON.stringify(stdout.slice(0, maxQuoted))} instead of {"endings":[…]}`;
      return one.endings.map(() => [output, exit, ...lastLine(stderr)].join(", "));
    } finally {
      clearTimeout(guard);
      signal.removeEventListener("abort", interrupt);
      kill(child, "SIGKILL");
    }
  };
}

/** Sends a signal to the process group, because the command may be a child of the shell. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process has ended.
  }
}

/** Returns the last line as a list of one; an empty list if nothing was written. */
function lastLine(stderr: string): readonly string[] {
  return stderr
    .trimEnd()
    .split("\n")
    .slice(-1)
    .filter((line) => line !== "");
}

const errorWords = ["network", "timeout", "aborted", "protocol", "http <status>", "rpc <code>", "failed", "canceled"];

function errorEnding(error: string): Ending {
  if (/^(?:network|timeout|aborted|protocol|failed|canceled|(?:http|rpc|undeclared)(?: .*)?)$/.test(error))
    return error;
  return `${invalidOutput}: unknown error ${JSON.stringify(error)}; use one of ${errorWords.join(", ")}`;
}

/** Reads the endings that a command wrote. Returns undefined if the output has another shape. */
function endingsIn(stdout: string, one: AdversaryCase): readonly Ending[] | undefined {
  const calls: readonly (CaseCall | undefined)[] = one.query
    ? [undefined]
    : [...(one.calls ?? []), ...(one.sequence ?? [])];
  try {
    const output: unknown = JSON.parse(stdout);
    if (!isObject(output) || !Array.isArray(output.endings)) return undefined;
    return output.endings.map((ending: unknown, index) => {
      if (!isObject(ending)) return invalidOutput;
      return typeof ending.error === "string"
        ? errorEnding(ending.error)
        : resultEnding(ending.result, one, calls[index]);
    });
  } catch {
    return undefined;
  }
}

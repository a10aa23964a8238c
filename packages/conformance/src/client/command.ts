import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { isObject } from "../server/json.ts";
import type { AdversaryCase, CaseCall, Ending } from "./case.ts";
import { type CaseRunner, invalidOutput, resultEnding } from "./run-case.ts";

/** Beyond the deadline of each ask: what a process takes to start, and then to end. */
const guardMs = 10_000;

/** Characters that a problem shows of what a command wrote. */
const maxShown = 100;

/** The shell cannot start the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * A client in any language: a command that is started anew for each case. It reads one JSON object from stdin,
 * `{ url, apiKey, timeoutMs, calls?, sequence?, query? }`, does what that says, writes
 * `{ endings: [{ result } | { error: "kind" | "kind number" }] }` to stdout, and endings. A caller who gives up is a SIGINT; a
 * command that it endings has ended as `aborted`.
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
    const asks = (calls?.length ?? 0) + (sequence?.length ?? 0) + 1;
    const giveUp = () => {
      isLate = true;
      kill(child, "SIGKILL");
    };
    const guard = setTimeout(giveUp, asks * service.timeoutMs + guardMs);
    try {
      // A command that does not read its input has closed it.
      child.stdin.on("error", () => {}).end(JSON.stringify({ ...service, calls, sequence, query }));
      const [[status, killed], stdout, stderr] = await Promise.all([
        once(child, "close"),
        text(child.stdout),
        text(child.stderr),
      ]);
      if (killed === null && (status === 126 || status === 127) && stdout === "")
        throw new CommandError(`the command cannot be started: ${[command, ...lastLine(stderr)].join(": ")}`);
      const endings = endingsIn(stdout, one);
      if (endings !== undefined) return endings;
      if (isLate) return one.endings.map(() => "never");
      // A process that a signal endings has the exit code 128 + 2 in a shell.
      if (isInterrupted && (killed === "SIGINT" || status === 130)) return one.endings.map(() => "aborted");
      const exit = killed === null ? `exit code ${status}` : `ended by ${killed}`;
      const output = `${invalidOutput} ${JSON.stringify(stdout.slice(0, maxShown))} in place of {"endings":[…]}`;
      return one.endings.map(() => [output, exit, ...lastLine(stderr)].join(", "));
    } finally {
      clearTimeout(guard);
      signal.removeEventListener("abort", interrupt);
      kill(child, "SIGKILL");
    }
  };
}

/** A command is a group of processes: a shell may stand before it. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Returns the last line as a list of one; an empty list where nothing was written. */
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
  return `${invalidOutput}, unknown error ${JSON.stringify(error)}: use ${errorWords.join(", ")}`;
}

function endingsIn(stdout: string, one: AdversaryCase): readonly Ending[] | undefined {
  const asks: readonly (CaseCall | undefined)[] = one.query
    ? [undefined]
    : [...(one.calls ?? []), ...(one.sequence ?? [])];
  try {
    const said: unknown = JSON.parse(stdout);
    if (!isObject(said) || !Array.isArray(said.endings)) return undefined;
    return said.endings.map((ending: unknown, index) => {
      if (!isObject(ending)) return invalidOutput;
      return typeof ending.error === "string"
        ? errorEnding(ending.error)
        : resultEnding(ending.result, one, asks[index]);
    });
  } catch {
    return undefined;
  }
}

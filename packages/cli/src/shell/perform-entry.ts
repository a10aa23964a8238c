import { StoppedError, UsageError } from "../errors/cli-error.ts";
import type { ErrorPlace } from "../errors/error-place.ts";
import { exitCodes } from "../errors/exit-code.ts";
import { type Failure, failureJson, failureOf } from "../errors/failure.ts";
import { errorText } from "../output/error-text.ts";
import { terminalColumns } from "../output/terminal.ts";
import { shellCommandOf } from "./backslash/commands.ts";
import { folderOf } from "./backslash/run-commands.ts";
import { printStatement } from "./print-run.ts";
import type { Session } from "./session.ts";
import { createStatementInput, type Entry } from "./statement-input.ts";
import type { Work } from "./work.ts";

/** Width of the line of an error that is not on a terminal. */
const errorColumns = 100;

/** Largest depth of scripts that run each other. */
const scriptDepth = 16;

/** Errors of the connection or the key, which would repeat for the next statement. */
const lastingCodes: readonly number[] = [exitCodes.auth, exitCodes.network, exitCodes.timeout];

/**
 * Runs a statement or a command, and prints its error. Returns the failure, if any.
 * @param file Name of the script that has it.
 */
async function performEntry(session: Session, work: Work, entry: Entry, file?: string): Promise<Failure | undefined> {
  try {
    if (entry.kind === "statement") await printStatement(session, work, entry.sql);
    else {
      const { command, rest } = shellCommandOf(entry.text);
      await withCommandName(command.names[0] ?? "", () => command.run(session, rest, work, folderOf(file)));
    }
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (!work.isAbandoned()) report(session, work, error, failure, entry, file);
    session.firstCode ??= failure.exitCode;
    return failure;
  }
}

/** Names the command in the error of an argument. */
async function withCommandName(name: string, run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw error instanceof SyntaxError ? new UsageError(`invalid \\${name}: ${error.message}`) : error;
  }
}

function report(
  session: Session,
  work: Work,
  error: unknown,
  failure: Failure,
  entry: Entry,
  file: string | undefined,
): void {
  const { process, isInteractive, flags } = session;
  const { stderr, env } = process;
  if (isInteractive && (error instanceof StoppedError || work.signal.aborted)) {
    session.inform(error instanceof StoppedError ? error.message : "interrupted.");
    return;
  }
  const name = file ?? (isInteractive ? undefined : "<stdin>");
  const sql = entry.kind === "statement" ? entry.sql : entry.text;
  const place: ErrorPlace = { sql, line: isInteractive && file === undefined ? 1 : entry.line, file: name };
  const columns = terminalColumns(stderr, env) ?? errorColumns;
  const text = flags.json && !isInteractive ? failureJson(failure) : errorText(failure, place, columns);
  stderr.write(`${text}\n`);
  if (env.QUERN_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
}

/** Creates the function that runs the text of a script. */
export function createScriptRunner(session: () => Session): Session["runScript"] {
  let depth = 0;
  return async (text, file, work) => {
    if (depth >= scriptDepth) throw new SyntaxError(`expected at most ${scriptDepth} files that run each other`);
    depth += 1;
    try {
      const input = createStatementInput();
      const lines = text.replace(/^\uFEFF/, "").match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
      for (const whole of lines) {
        const line = whole.replace(/[\r\n]+$/, "");
        if (await performAll(session(), work, input.push(line, whole.slice(line.length)), file)) return;
      }
      await performAll(session(), work, input.rest(), file);
    } finally {
      depth -= 1;
    }
  };
}

/** Runs entries one after the other. Returns true if no other one may follow. */
export async function performAll(
  session: Session,
  work: Work,
  entries: readonly Entry[],
  file?: string,
): Promise<boolean> {
  for (const entry of entries) {
    const failure = await performEntry(session, work, entry, file);
    if (session.isEnded || work.signal.aborted) return true;
    if (failure !== undefined && failure.kind !== "rpc" && lastingCodes.includes(failure.exitCode)) return true;
  }
  return false;
}

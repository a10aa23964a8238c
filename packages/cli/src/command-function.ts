import type { CommandContext, StricliProcess } from "@stricli/core";
import { placeOf } from "./errors/error-place.ts";
import { failureJson, failureLine, failureOf } from "./errors/failure.ts";
import type { JsonFlag } from "./flags.ts";
import { errorText } from "./output/error-text.ts";
import { terminalColumns } from "./output/terminal.ts";

/** Context of a command: the process that it runs in. */
export interface Context extends CommandContext {
  readonly process: NodeJS.Process & StricliProcess;
}

type Perform<Flags, Args extends readonly unknown[]> = (context: Context, flags: Flags, ...args: Args) => Promise<void>;

/** Wraps the function of a command: an error is printed as one line, or as JSON with `--json`, and sets the exit code. */
export function commandFunction<Flags extends JsonFlag, Args extends readonly unknown[]>(
  perform: Perform<Flags, Args>,
) {
  return async function (this: Context, flags: Flags, ...args: Args): Promise<void> {
    try {
      await perform(this, flags, ...args);
    } catch (error) {
      reportFailure(this.process, flags.json, error);
    }
  };
}

/**
 * Prints an error as one line or as JSON, and sets the exit code. On a terminal, the line of the statement follows with a
 * caret under the place.
 */
export function reportFailure(process: Context["process"], json: boolean, error: unknown): void {
  const { stderr, env } = process;
  const failure = failureOf(error);
  const columns = terminalColumns(stderr, env);
  const line = () =>
    columns === undefined ? failureLine(failure) : errorText(failure, placeOf(error), columns, "quern: ");
  stderr.write(`${json ? failureJson(failure) : line()}\n`);
  if (env.QUERN_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
  process.exitCode = failure.exitCode;
}

import { ExitCode, run, type StricliProcess } from "@stricli/core";
import { createApplication } from "./application.ts";
import type { Context } from "./command-function.ts";
import { exitCodes } from "./errors/exit-code.ts";
import { endOnOutputError } from "./output/stdout.ts";
import { escapeControls, helpColumns } from "./output/terminal.ts";
import { wrapped } from "./output/wrap.ts";
import { withQueryCommand } from "./statement/query-words.ts";

/** Runs the command line and sets `process.exitCode`. */
export async function main(words: readonly string[], process: NodeJS.Process): Promise<void> {
  // stderr is for people, and its lines may be read on a terminal later. stdout may be data for another program.
  escapeControls(process.stderr);
  if (process.stdout.isTTY) escapeControls(process.stdout);
  endOnOutputError(process, words.includes("--json"));
  // On a closed terminal the messages are lost, but the command still cleans up.
  process.stderr.on("error", () => {});
  const [first, ...rest] = words;
  const input = first === "help" ? [...rest, "--help"] : withQueryCommand(words);
  const context = { process: process as Context["process"] };
  await run(await createApplication(input[0], input.includes("--json")), input, {
    process: withWrappedHelp(context.process),
    forCommand: () => context,
  });
  process.exitCode = ownExitCode(Number(process.exitCode ?? exitCodes.success));
  // Unread output keeps the process alive, but a stop signal must end it.
  if (Number(process.exitCode) >= exitCodes.hungUp && process.stdout.writableLength > 0) process.exit();
}

/** Returns the process for the framework, which writes only help and the version to stdout. */
function withWrappedHelp(process: Context["process"]): StricliProcess {
  const { stdout, stderr, env } = process;
  const width = helpColumns(stdout, env);
  const write = (text: string) => void stdout.write(width === undefined ? text : wrapped(text, width));
  return {
    stdout: { write },
    stderr,
    env,
    get exitCode() {
      return process.exitCode ?? null;
    },
    set exitCode(code: number | string | null) {
      process.exitCode = code;
    },
  };
}

/** Maps the framework's negative exit codes, for invalid arguments and for commands that cannot be loaded. */
function ownExitCode(code: number): number {
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return exitCodes.usage;
  return code < 0 ? exitCodes.unexpected : code;
}

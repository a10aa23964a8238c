import { ExitCode, run, type StricliProcess } from "@stricli/core";
import { createApplication } from "./application.ts";
import type { Context } from "./command-function.ts";
import { exitCodes } from "./errors/exit-code.ts";
import { endOnOutputError } from "./output/stdout.ts";
import { escapeControls, helpColumns } from "./output/terminal.ts";
import { wrapped } from "./output/wrap.ts";
import { isOnlyProfile, withProfileLast } from "./profiles/profile-words.ts";
import { hasInput } from "./statement/piped-input.ts";
import { withQueryCommand } from "./statement/query-words.ts";

/** Runs the command line and sets `process.exitCode`. */
export async function main(words: readonly string[], process: NodeJS.Process): Promise<void> {
  // stderr is for people, and its lines may be read on a terminal later. stdout may be data for another program.
  escapeControls(process.stderr);
  if (process.stdout.isTTY) escapeControls(process.stdout);
  endOnOutputError(process, words.includes("--json"));
  // On a closed terminal the messages are lost, but the command still cleans up.
  process.stderr.on("error", () => {});
  const ordered = withProfileLast(words);
  const [first, ...rest] = ordered;
  const input =
    (isOnlyProfile(words) ? await withoutCommand(words, process) : undefined) ??
    withQueryCommand(withOtherName(ordered), () => !process.stdin.isTTY);
  const context = { process: process as Context["process"] };
  if (first === "__complete") {
    const { complete, lineOf } = await import("./completion/complete.ts");
    const line = lineOf(rest);
    // Only a complete first word tells which commands are needed.
    return complete(await createApplication(line.words.length > 1 ? line.words[0] : undefined, false), line, context);
  }
  await run(await createApplication(input[0], input.includes("--json")), input, {
    process: withWrappedHelp(context.process),
    forCommand: () => context,
  });
  process.exitCode = ownExitCode(Number(process.exitCode ?? exitCodes.success));
  // Unread output keeps the process alive, but a stop signal must end it.
  if (Number(process.exitCode) >= exitCodes.hungUp && process.stdout.writableLength > 0) process.exit();
}

/** Replaces a first word that is another name of a command. */
function withOtherName(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === "help") return [...rest, "--help"];
  return first === "last" ? ["result", "--last", ...rest] : words;
}

/** Returns the words of the shell on a terminal, and those of a query if stdin has one; else undefined. */
async function withoutCommand(words: readonly string[], { stdin, stdout }: NodeJS.Process) {
  if (stdin.isTTY) return stdout.isTTY ? ["shell", ...words] : undefined;
  return (await hasInput(stdin)) ? ["query", ...words] : undefined;
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

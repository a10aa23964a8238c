import { ExitCode, run } from "@stricli/core";
import { createApplication } from "./application.ts";
import type { Context } from "./command-function.ts";
import { exitCodes } from "./errors/exit-code.ts";
import { escapeControls } from "./output/terminal.ts";

/** Runs the command line and sets `process.exitCode`. */
export async function main(words: readonly string[], process: NodeJS.Process): Promise<void> {
  // stderr is for people, and its lines may be read on a terminal later. stdout may be data for another program.
  escapeControls(process.stderr);
  if (process.stdout.isTTY) escapeControls(process.stdout);
  // It is not an error if the reader of a pipe, such as `head`, closes it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? exitCodes.success : exitCodes.unexpected),
  );
  // On a closed terminal the messages are lost, but the command still cleans up.
  process.stderr.on("error", () => {});
  const [first, ...rest] = words;
  const input = first === "help" ? [...rest, "--help"] : words;
  await run(await createApplication(input[0], input.includes("--json")), input, {
    process: process as Context["process"],
  });
  process.exitCode = ownExitCode(Number(process.exitCode ?? exitCodes.success));
  // Unread output keeps the process alive, but a stop signal must end it.
  if (Number(process.exitCode) >= exitCodes.hungUp && process.stdout.writableLength > 0) process.exit();
}

/** Maps the framework's negative exit codes, for invalid arguments and for commands that cannot be loaded. */
function ownExitCode(code: number): number {
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return exitCodes.usage;
  return code < 0 ? exitCodes.unexpected : code;
}

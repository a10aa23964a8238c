import { ExitCode, run } from "@stricli/core";
import { createApplication } from "./application.ts";
import type { Context } from "./command-function.ts";
import { exitCodes } from "./errors/exit-code.ts";

/** Runs the command line; the exit code is left in `process.exitCode`. */
export async function main(words: readonly string[], process: NodeJS.Process): Promise<void> {
  // A reader that has enough, such as `head`, is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? exitCodes.success : exitCodes.unexpected),
  );
  // A terminal that was closed takes no message; what the command still has to do goes on.
  process.stderr.on("error", () => {});
  const [first, ...rest] = words;
  const asked = first === "help" ? [...rest, "--help"] : words;
  await run(await createApplication(asked[0], asked.includes("--json")), asked, {
    process: process as Context["process"],
  });
  process.exitCode = ownExitCode(Number(process.exitCode ?? exitCodes.success));
  // Output that its reader does not take keeps the process alive; a stop signal must end it all the same.
  if (Number(process.exitCode) >= exitCodes.hungUp && process.stdout.writableLength > 0) process.exit();
}

/** Maps the negative exit codes of the framework: invalid arguments, and commands that could not be loaded. */
function ownExitCode(code: number): number {
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return exitCodes.usage;
  return code < 0 ? exitCodes.unexpected : code;
}

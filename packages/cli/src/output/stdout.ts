import { fstatSync, writeFileSync } from "node:fs";
import { OutputError } from "../errors/cli-error.ts";
import { exitCodes } from "../errors/exit-code.ts";
import { failureJson, failureLine, failureOf } from "../errors/failure.ts";

/** Ends the process if stdout fails, with a message on stderr. */
export function endOnOutputError(process: NodeJS.Process, json: boolean): void {
  const { stdout, stderr } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    // It is not an error if the reader of a pipe, such as `head`, closes it.
    if (error.code === "EPIPE") return process.exit(exitCodes.success);
    const failure = failureOf(new OutputError("stdout", error));
    stderr.write(`${json ? failureJson(failure) : failureLine(failure)}\n`);
    process.exit(failure.exitCode);
  });
  if (stdout.fd === undefined || !fstatSync(stdout.fd).isFile()) return;
  // Node writes to a file with one system call, and ignores that a full disk has taken only the start.
  stdout._write = (chunk: Uint8Array | string, encoding, callback) => {
    try {
      writeFileSync(stdout.fd, chunk, { encoding });
      callback();
    } catch (error) {
      callback(error as Error); // `fs` throws only errors
    }
  };
}

import type { Context } from "../command-function.ts";
import { UsageError } from "../errors/cli-error.ts";
import { stopSignals } from "../errors/exit-code.ts";
import type { ListenFlags } from "./flags.ts";

/** Server that listens until it is closed. */
export interface Listening {
  /** Printed once the server listens: JSON for programs, lines for people. */
  readonly announcement: { readonly json: object; readonly lines: readonly string[] };
  close(): Promise<void>;
  /** Called at a second signal, which otherwise ends the process if it is of the same kind. */
  hurry?(): void;
  /** Resolves when the server must stop without a signal, such as when its parent has ended. */
  readonly ended?: Promise<void>;
}

/**
 * Prints the address, and closes the server at the first stop signal or once `ended` resolves. A second signal calls
 * `hurry`; without it, and after it, a signal of the same kind ends the process.
 */
export async function serveUntilSignal(
  { announcement, close, hurry, ended }: Listening,
  { process }: Context,
  json: boolean,
): Promise<void> {
  // Listen for signals before the address is printed, because its reader may send one at once.
  const end = Promise.race([endSignal(process), ...(ended === undefined ? [] : [ended])]);
  const lines = json ? [JSON.stringify(announcement.json)] : announcement.lines;
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  const signal = await end;
  // SIGTERM is the regular way to end a server, so the exit code stays 0.
  if (signal === "SIGINT" || signal === "SIGHUP") process.exitCode = stopSignals[signal];
  if (hurry !== undefined) void endSignal(process).then(hurry);
  await close();
}

function endSignal(process: NodeJS.Process): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, resolve);
  });
}

/** Converts an error of listening on a port to a usage error. Returns other errors unchanged. */
export function listenError(error: unknown, { port, host }: Pick<ListenFlags, "port" | "host">): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new UsageError(`port in use: ${host}:${port}; choose another with --port, or a free one with --port 0`);
    case "EACCES":
      return new UsageError(
        `permission denied: cannot listen on ${host}:${port}; choose another port with --port, such as one above 1023`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UsageError(`not an address of this machine: ${host}; choose another with --host`);
    default:
      return error;
  }
}

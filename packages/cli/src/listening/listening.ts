import type { Context } from "../command-function.ts";
import { UsageError } from "../errors/cli-error.ts";
import { stopSignals } from "../errors/exit-code.ts";
import type { ListenFlags } from "./flags.ts";

/** Something that answers at an address until it is closed. */
export interface Listening {
  /** Text that is printed when it listens, for programs and for people. */
  readonly told: { readonly json: object; readonly lines: readonly string[] };
  close(): Promise<void>;
  /** Resolves when the server is no longer needed. */
  readonly over?: Promise<void>;
}

/** Prints the address, and closes when it is over or at the first stop signal. A second signal ends the process at once. */
export async function serveUntilSignal(
  { told, close, over }: Listening,
  { process }: Context,
  json: boolean,
): Promise<void> {
  // Before the address is printed: its reader may send a signal at once.
  const end = Promise.race([endSignal(process), ...(over === undefined ? [] : [over])]);
  const lines = json ? [JSON.stringify(told.json)] : told.lines;
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  const signal = await end;
  // SIGTERM is how a server is ended, which is no failure.
  if (signal === "SIGINT" || signal === "SIGHUP") process.exitCode = stopSignals[signal];
  await close();
}

function endSignal(process: NodeJS.Process): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, resolve);
  });
}

/** Converts an error of listening to a usage error that says what to do; returns any other error as it is. */
export function listenError(error: unknown, { port, host }: Pick<ListenFlags, "port" | "host">): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new UsageError(
        `port ${port} of ${host} is taken; choose another with --port, or any free one with --port 0`,
      );
    case "EACCES":
    case "EADDRNOTAVAIL":
      return new UsageError(`cannot listen on port ${port} of ${host}; choose others with --port and --host`);
    default:
      return error;
  }
}

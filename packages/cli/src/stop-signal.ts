import { exitCodes } from "./exit-code.ts";

/** Signals that stop a command, with their exit codes. */
export const stopSignals = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
} as const;

export type StopSignal = keyof typeof stopSignals;

const names = Object.keys(stopSignals) as readonly StopSignal[]; // the table's own keys

export interface Stop {
  /** Aborted by the first stop signal. */
  readonly signal: AbortSignal;
  /** Name of the signal that came. */
  readonly name: () => StopSignal | undefined;
  /** Removes the listeners. */
  end(): void;
}

/** Listens for the first stop signal. A second one finds no listener, so that it ends the process. */
export function listenForStop(process: NodeJS.Process, onStop: () => void): Stop {
  const controller = new AbortController();
  let name: StopSignal | undefined;
  const end = () => {
    for (const each of names) process.off(each, stop);
  };
  const stop = (received: StopSignal) => {
    end();
    name = received;
    onStop();
    controller.abort();
  };
  for (const each of names) process.on(each, stop);
  return { signal: controller.signal, name: () => name, end };
}

import type { StoppedError } from "../errors/cli-error.ts";
import { type StopSignal, stopSignals } from "../errors/exit-code.ts";

const names = Object.keys(stopSignals) as readonly StopSignal[]; // the keys of `stopSignals`

export interface Stop {
  /** Aborted by the first stop signal. */
  readonly signal: AbortSignal;
  /** Returns the signal that was received, if any. */
  readonly name: () => StopSignal | undefined;
  /** Removes the listeners. */
  end(): void;
}

/** Listens for the first stop signal only: a second one ends the process, because it has no listener. */
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

export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

/** Creates an abort signal that fires after some seconds unless it is ended before. */
export function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1_000);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Returns the reason why a command was stopped, as a sentence. */
export function stopText(by: StoppedError["by"], timeoutSeconds: number): string {
  if (by === "timeout") return `not done within ${timeoutSeconds} s.`;
  return by === "SIGINT" ? "interrupted." : `stopped by ${by}.`;
}

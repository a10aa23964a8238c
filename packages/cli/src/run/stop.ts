import type { StoppedError } from "../errors/cli-error.ts";
import { type StopSignal, stopSignals } from "../errors/exit-code.ts";

const names = Object.keys(stopSignals) as readonly StopSignal[]; // the keys of `stopSignals`

/** Process, or what passes its signals on. */
export type SignalSource = Pick<NodeJS.EventEmitter, "on" | "off">;

export interface Stop {
  /** Aborted by the first stop signal. */
  readonly signal: AbortSignal;
  /** Aborted when the time is over, unless `endDeadline` is called before. */
  readonly deadline: AbortSignal;
  /** Returns the signal that was received or `timeout`, if any. */
  readonly by: () => StoppedError["by"] | undefined;
  endDeadline(): void;
  /** Removes the listeners and the timer. */
  end(): void;
}

/**
 * Starts the time limit of a command, and listens for the first stop signal only: a second one ends the process, because
 * it has no listener.
 */
export function startStop(process: SignalSource, timeoutSeconds: number, onStop: () => void): Stop {
  const controller = new AbortController();
  const deadline = new AbortController();
  let name: StopSignal | undefined;
  const timer = setTimeout(() => deadline.abort(), timeoutSeconds * 1_000);
  const endDeadline = () => clearTimeout(timer);
  const end = () => {
    endDeadline();
    for (const each of names) process.off(each, stop);
  };
  const stop = (received: StopSignal) => {
    for (const each of names) process.off(each, stop);
    name = received;
    onStop();
    controller.abort();
  };
  for (const each of names) process.on(each, stop);
  const by = () => name ?? (deadline.signal.aborted ? "timeout" : undefined);
  return { signal: controller.signal, deadline: deadline.signal, by, endDeadline, end };
}

/** Returns the reason why a command was stopped, as a sentence. */
export function stopText(by: StoppedError["by"], timeoutSeconds: number): string {
  if (by === "timeout") return `not done within ${timeoutSeconds} s.`;
  return by === "SIGINT" ? "interrupted." : `stopped by ${by}.`;
}

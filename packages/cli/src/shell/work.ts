import { EventEmitter, once } from "node:events";
import { type StopSignal, stopSignals } from "../errors/exit-code.ts";
import type { SignalSource } from "../run/stop.ts";

/** Work of the shell, such as a statement, that the user can interrupt. */
export interface Work {
  /** Aborted by the first stop signal. */
  readonly signal: AbortSignal;
  /** Passes on the stop signals of the process. */
  readonly signals: SignalSource;
  /** Returns true once the shell no longer waits for the work. Its output is then discarded. */
  readonly isAbandoned: () => boolean;
}

export interface Worker {
  /** Performs work. Resolves at its end, or at the second Ctrl-C, which abandons it. */
  perform(task: (work: Work) => Promise<void>): Promise<void>;
  /** Returns the signal that ends the shell, if it was received. */
  readonly endedBy: () => StopSignal | undefined;
  /** Removes the listeners. */
  end(): void;
}

const names = Object.keys(stopSignals) as readonly StopSignal[]; // the keys of `stopSignals`

/**
 * Listens for stop signals: Ctrl-C interrupts the work, and the others end the shell, too.
 * @param isInteractive False if Ctrl-C ends the shell, as without a terminal.
 * @param onEnd Called when a signal ends the shell.
 * @param onIdleInterrupt Called at a SIGINT while there is no work.
 */
export function createWorker(
  process: SignalSource,
  isInteractive: boolean,
  onEnd: () => void,
  onIdleInterrupt: () => void,
): Worker {
  let current: { readonly emitter: EventEmitter; readonly interrupt: () => void } | undefined;
  let endedBy: StopSignal | undefined;

  function onSignal(name: StopSignal): void {
    const ends = name !== "SIGINT" || !isInteractive;
    if (ends) endedBy ??= name;
    current?.emitter.emit(name, name);
    current?.interrupt();
    if (ends) onEnd();
    else if (current === undefined) onIdleInterrupt();
  }
  for (const name of names) process.on(name, onSignal);

  async function perform(task: (work: Work) => Promise<void>): Promise<void> {
    const emitter = new EventEmitter();
    const controller = new AbortController();
    const abandonment = new EventEmitter();
    const abandoned = once(abandonment, "abandoned").then(() => {});
    let isAbandoned = false;
    const interrupt = () => {
      if (controller.signal.aborted) {
        isAbandoned = true;
        abandonment.emit("abandoned");
      }
      controller.abort();
    };
    const own = { emitter, interrupt };
    const outer = current;
    current = own;
    try {
      const { signal } = controller;
      await Promise.race([task({ signal, signals: emitter, isAbandoned: () => isAbandoned }), abandoned]);
    } finally {
      current = outer;
    }
  }

  return {
    perform,
    endedBy: () => endedBy,
    end() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

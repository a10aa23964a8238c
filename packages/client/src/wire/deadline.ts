/** Longest delay a timer can have; a longer deadline is none. */
const longestTimerMs = 2 ** 31 - 1;

export interface DeadlineOptions {
  /** Ends the work when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the work after this time, in milliseconds. `Infinity` for never. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Calls `stop` with the reason when the signal is aborted, at once where it is already, and when the time is over.
 * @returns what takes both off again.
 */
export function startDeadline(
  { signal, timeoutMs = Infinity }: DeadlineOptions,
  stop: (reason: unknown, bySignal: boolean) => void,
): () => void {
  const onAbort = () => stop(signal?.reason, true);
  const onTimeout = () => stop(new DOMException(`not done within ${timeoutMs} ms`, "TimeoutError"), false);
  if (signal?.aborted) {
    onAbort();
    return () => {};
  }
  const timer = timeoutMs <= longestTimerMs ? setTimeout(onTimeout, timeoutMs) : undefined;
  signal?.addEventListener("abort", onAbort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
}

/**
 * Runs `work` with one signal that carries both the caller's signal and the deadline. It is run with an aborted one too,
 * so that it can undo what was begun.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = startDeadline(options, (reason) => controller.abort(reason));
  try {
    return await work(controller.signal);
  } finally {
    end();
  }
}

/** Waits for a number of milliseconds. An abort and the `online` event of a browser end the wait early, without an error. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const pause: Sleep = (ms, signal) => {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      globalThis.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : Math.min(ms, longestTimerMs));
    signal.addEventListener("abort", end);
    // Node has no such event.
    globalThis.addEventListener?.("online", end);
  });
};

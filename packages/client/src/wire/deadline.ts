/** Longest delay of a timer, in milliseconds. A longer time limit never passes. */
const longestTimerMs = 2 ** 31 - 1;

/** Signal and time limit of an operation. */
export interface DeadlineOptions {
  /** Aborts the operation. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit in milliseconds; `Infinity` for none. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Calls `stop` with the reason when the signal is aborted or the time limit has passed; immediately if the signal is aborted already.
 * @returns a function that removes the listener and the timer.
 * @throws {TypeError} The time limit is NaN.
 */
export function whenStopped(
  { signal, timeoutMs = Infinity }: DeadlineOptions,
  stop: (reason: unknown, bySignal: boolean) => void,
): () => void {
  if (Number.isNaN(timeoutMs)) throw new TypeError("invalid timeoutMs: expected milliseconds or Infinity, got NaN");
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
 * Runs `work` with a signal that combines the caller's signal and the deadline. Work also runs with an aborted signal, so that it can
 * clean up.
 * @param other Another signal to combine.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
  other?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const stop = (reason: unknown) => controller.abort(reason);
  const ends = [whenStopped(options, stop), whenStopped({ signal: other }, stop)];
  try {
    return await work(controller.signal);
  } finally {
    for (const end of ends) end();
  }
}

/**
 * Tells whether the runtime is workerd, as on Cloudflare Workers. There a promise or a timer belongs to the request that has
 * made it: other requests must not wait for it, because it ends with its request.
 */
export const isWorkerd = (): boolean => globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Calls `work` in a microtask. A promise does this, because fake timers of a test stop `queueMicrotask`. */
export function afterMicrotask(work: () => void): void {
  void Promise.resolve().then(work);
}

/** Waits for a number of milliseconds. An abort and the browser's `online` event end the wait early, without an error. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with a timer. */
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
    // Node has no global `addEventListener`.
    globalThis.addEventListener?.("online", end);
  });
};

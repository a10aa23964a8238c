import { abortError, QuernError } from "./quern-error.ts";

/** Longest delay a timer can have; a longer deadline is none. */
const longestTimerMs = 2 ** 31 - 1;

export interface DeadlineOptions {
  /** Ends the work when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the work after this time, in milliseconds. `Infinity` for never. */
  readonly timeoutMs?: number | undefined;
}

export type Stop = (error: QuernError, bySignal: boolean) => void;

/**
 * Calls `stop` when the signal is aborted, and again when the time is over.
 * @returns what takes both off again.
 * @throws {QuernError} `aborted` or `timeout` where the signal is aborted already.
 */
export function startDeadline(options: DeadlineOptions, stop: Stop): () => void {
  const { signal, timeoutMs = Infinity } = options;
  if (signal?.aborted) throw abortError(signal.reason);
  const onAbort = () => stop(abortError(signal?.reason), true);
  signal?.addEventListener("abort", onAbort);
  const onTimeout = () => stop(new QuernError("timeout", `not done within ${timeoutMs} ms`), false);
  const timer = timeoutMs <= longestTimerMs ? setTimeout(onTimeout, timeoutMs) : undefined;
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
  const stop = (error: QuernError) => controller.abort(error);
  if (options.signal?.aborted) stop(abortError(options.signal.reason));
  const end = controller.signal.aborted ? undefined : startDeadline(options, stop);
  try {
    return await work(controller.signal);
  } finally {
    end?.();
  }
}

/** Waits; an abort ends the wait early and quietly. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal?.aborted ? 0 : ms);
    signal?.addEventListener("abort", end);
  });
}

/** Time limit of a call. */
export interface Deadline {
  /** Aborted with a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal;
  /**
   * Ends the limit when the call is over. The timer and the signals of `AbortSignal.timeout` stay in memory until the time
   * is over, which adds up over many short calls with a long limit.
   */
  end(): void;
}

/** Longest delay of a Node.js timer in milliseconds; a longer one would fire at once. */
const maxTimerMs = 2_147_483_647;

/** Starts a time limit, of the longest delay of a timer at most. It does not keep the process alive. */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new DOMException("The time limit of the call is over.", "TimeoutError"));
  const timer = setTimeout(abort, Math.min(Math.ceil(ms), maxTimerMs)).unref();
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

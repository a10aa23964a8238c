import { untilAborted } from "@quern/adapter";

/**
 * Waits for a promise no longer than the given time.
 * @param late called with a value that arrives after that
 * @throws the error that `expired` returns
 */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
  expired: () => Error,
  late?: (value: T) => void,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), ms);
  return untilAborted(promise, controller.signal, late).finally(() => clearTimeout(timer));
}

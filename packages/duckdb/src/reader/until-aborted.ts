import { once } from "node:events";

/** Waits for a value, at most until the abort. @throws the reason of the signal, if it is aborted */
export async function untilAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = once(signal, "abort", { signal: over.signal }).then(() => Promise.reject(signal.reason));
  try {
    return await Promise.race([value, aborted]);
  } finally {
    over.abort();
  }
}

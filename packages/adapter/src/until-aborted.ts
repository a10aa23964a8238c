/**
 * Waits for a promise no longer than until the signal is aborted.
 * @param late called with a value that arrives after that
 * @throws the reason of the signal
 */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void = () => {},
): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } catch (error) {
    // Does nothing if the promise itself has failed.
    promise.then(late, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

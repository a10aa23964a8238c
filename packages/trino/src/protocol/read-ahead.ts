/**
 * Yields the items of a source, and requests one more while the caller uses the last one. The next item, or its error,
 * waits until the caller asks for it. If the caller stops early, the request in progress goes on: abort its signal.
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = iterator.next();
      next.catch(() => {}); // thrown when the caller asks for it
      yield value;
    }
  } finally {
    // A source with a request in progress would resolve `return()` only after it.
    iterator.return?.().catch(() => {});
  }
}

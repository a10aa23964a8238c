import { type DeadlineOptions, whenStopped } from "../wire/deadline.ts";

/** Ends an iteration. Throws the error, unless the iteration has ended already: only the first error is reported. */
export type EndIteration = (error?: unknown) => IteratorReturnResult<void>;

/**
 * Async iterator over a result. Its `next` takes no argument, so that it can be passed to `then`. `AsyncIterableIterator`
 * has one type parameter before TypeScript 5.6, so this type extends another one.
 */
export interface ResultIterator<Item> extends AsyncIterator<Item, void, undefined> {
  next(): Promise<IteratorResult<Item, void>>;
  [Symbol.asyncIterator](): ResultIterator<Item>;
}

/**
 * Makes an iterator over a result. The consumer, the signal or the deadline can end it. The deadline starts with the
 * first step.
 * @param step Returns the next item. Its signal is aborted when the iteration ends, with the reason if the caller's
 * signal or the deadline ended it.
 */
export function resultIterator<Item>(
  deadline: DeadlineOptions,
  step: (signal: AbortSignal, end: EndIteration) => Promise<IteratorResult<Item, void>>,
): ResultIterator<Item> {
  const controller = new AbortController();
  let isOver = false;
  let endDeadline: (() => void) | undefined;

  const end: EndIteration = (error) => {
    const isSilent = isOver || !error;
    isOver = true;
    endDeadline?.();
    controller.abort();
    if (!isSilent) throw error;
    return { done: true, value: undefined };
  };
  const close = async () => end();

  return {
    next() {
      endDeadline ??= whenStopped(deadline, (reason) => controller.abort(reason));
      return isOver ? close() : step(controller.signal, end);
    },
    return: close,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

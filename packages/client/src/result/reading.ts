import { type DeadlineOptions, startDeadline } from "../wire/deadline.ts";

/** Ends a reading. An error is thrown, unless the reading is over already: what ends it is told once. */
export type EndReading = (error?: unknown) => IteratorReturnResult<void>;

/** One pass over a result. */
export interface Reading<Item> extends AsyncIterableIterator<Item, void, undefined> {
  next(): Promise<IteratorResult<Item, void>>;
}

/**
 * Makes the iterator of one pass over a result. Its reader, its signal and its deadline can end it; the deadline begins with the
 * first step.
 * @param step Gives the next item. The signal is aborted when the reading ends, and with the reason when the deadline has passed.
 */
export function readingOf<Item>(
  deadline: DeadlineOptions,
  step: (signal: AbortSignal, end: EndReading) => Promise<IteratorResult<Item, void>>,
): Reading<Item> {
  const quit = new AbortController();
  let isOver = false;
  let endDeadline: (() => void) | undefined;

  const end: EndReading = (error) => {
    const isTold = isOver || !error;
    isOver = true;
    endDeadline?.();
    quit.abort();
    if (!isTold) throw error;
    return { done: true, value: undefined };
  };
  const leave = async () => end();

  return {
    next() {
      endDeadline ??= startDeadline(deadline, (reason) => quit.abort(reason));
      return isOver ? leave() : step(quit.signal, end);
    },
    return: leave,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

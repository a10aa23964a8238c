import { type DeadlineOptions, startDeadline } from "./deadline.ts";
import type { PageReader, ResultPage } from "./result-pages.ts";

/**
 * One item after the other, under one deadline. It begins with the first `next()`, and ends its source as soon as it is left.
 * An async generator would take twice as long for each item.
 */
export function readingOf<Item, Value>(
  open: PageReader["open"],
  itemsOf: (page: ResultPage) => readonly Item[],
  give: (item: Item, number: number) => Value | Promise<Value>,
  deadline: DeadlineOptions = {},
): AsyncIterableIterator<Value, void, undefined> {
  const quit = new AbortController();
  let source: ReturnType<typeof open> | undefined;
  let items: (Item | undefined)[] = [];
  let offset = 0;
  let place = 0;
  let turning: Promise<void> | undefined;
  let isOver = false;
  /** What ended the reading, until someone is told. */
  let failure: unknown;
  let endDeadline = () => {};

  function finish(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    failure = error;
    items = [];
    endDeadline();
    quit.abort(error);
  }

  async function turn(): Promise<void> {
    try {
      if (!source) {
        source = open(quit.signal);
        endDeadline = startDeadline(deadline, finish);
      }
      const page = await source();
      if (!page) finish();
      else if (!isOver) {
        items = [...itemsOf(page)];
        offset = page.offset;
        place = 0;
      }
    } catch (error) {
      finish(error);
    }
    turning = undefined;
  }

  function next(): Promise<IteratorResult<Value, void>> {
    if (turning) return turning.then(next);
    if (place < items.length) {
      const value = give(items[place] as Item, offset + place); // What is before the place only is gone.
      // What was read is let go, so that the memory holds one page and not two.
      items[place] = undefined;
      place += 1;
      if (value instanceof Promise) return value.then((value) => ({ value }), failed);
      return Promise.resolve({ value });
    }
    if (failure) {
      const error = failure;
      failure = undefined;
      return Promise.reject(error);
    }
    if (isOver) return Promise.resolve({ done: true, value: undefined });
    turning = turn();
    return turning.then(next);
  }

  function failed(error: unknown): never {
    finish();
    throw error;
  }

  return {
    next,
    async return() {
      finish();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

import { startDeadline } from "../wire/deadline.ts";
import { abortError } from "../wire/quern-error.ts";
import type { QueryResult } from "./query-result.ts";
import { checkSize, type RowOptions, rowReader, type UntypedRow, type WholeOptions } from "./row.ts";

const over = { done: true, value: undefined } as const;

/**
 * The rows of a result as objects, one after the other, by their names: a repeated one gets `_2`. Integers beyond 2^53 and
 * decimals that a double cannot hold are strings. Each reading starts at the first row and is complete or throws; leaving its
 * loop, its signal or its deadline ends it at once.
 * @example for await (const row of rowsOf(await query(client, { sql }))) console.log(row);
 * @throws {QuernError} while it is read: `protocol` where a row is not as the schema says, or any kind but `failed` and `canceled`.
 */
export function rowsOf<Row = UntypedRow>(
  { queryRunId, first, pages: pagesOf }: Pick<QueryResult, "queryRunId" | "first" | "pages">,
  { schema, maxRows, ...deadline }: RowOptions<Row> & WholeOptions = {},
): AsyncIterableIterator<Row, void, undefined> {
  const rowOf = rowReader({ queryRunId, first }, schema);
  const quit = new AbortController();
  const { signal } = quit;
  const pages = pagesOf({ signal });
  let items: unknown[] = [];
  let offset = 0;
  let place = 0;
  let turning: Promise<void> | undefined;
  /** What ended the reading, until someone is told. */
  let failure: unknown;
  let endDeadline: (() => void) | undefined;

  function finish(error?: unknown): void {
    if (signal.aborted) return;
    failure = error;
    items = [];
    endDeadline?.();
    quit.abort();
    void pages.return?.();
  }

  async function turn(): Promise<void> {
    endDeadline ??= startDeadline(deadline, (reason) => finish(Object.assign(abortError(reason), { queryRunId })));
    try {
      const { value: page } = await pages.next();
      if (!page) finish();
      else if (!signal.aborted) {
        checkSize(page, maxRows, queryRunId);
        items = [...page.rows];
        place = 0;
        offset = page.offset;
      }
    } catch (error) {
      finish(error);
    }
    turning = undefined;
  }

  // An async function would make twice the garbage for each row, and an async generator take twice as long.
  function next(): Promise<IteratorResult<Row, void>> {
    if (turning) return turning.then(next);
    if (place < items.length) {
      const row = rowOf(items[place], offset + place);
      // What was read is let go, so that the memory holds one page and not two.
      items[place] = undefined;
      place += 1;
      if (row instanceof Promise) return row.then((value) => ({ value }), refused);
      return Promise.resolve({ value: row });
    }
    if (failure) {
      const error = failure;
      failure = undefined;
      return Promise.reject(error);
    }
    if (signal.aborted) return Promise.resolve(over);
    turning = turn();
    return turning.then(next);
  }

  function refused(error: unknown): never {
    finish();
    throw error;
  }

  return {
    next,
    async return() {
      finish();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

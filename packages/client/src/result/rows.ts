import { abortError } from "../wire/quern-error.ts";
import type { QueryResult } from "./query-result.ts";
import { type EndReading, type Reading, readingOf } from "./reading.ts";
import { checkSize, type RowOptions, rowReader, type UntypedRow, type ReadOptions } from "./row.ts";

/**
 * The rows of a result as objects, one after the other, by their names: a repeated one gets `_2`. Integers beyond 2^53 and
 * decimals that a double cannot hold are strings. Each reading starts at the first row and is complete or throws; leaving its
 * loop, its signal or its deadline ends it at once.
 * @example for await (const row of rowsOf(await query(client, { sql }))) console.log(row);
 * @throws {QuernError} while it is read: `protocol` where a row is not as the schema says, or any kind but `failed` and `canceled`.
 */
export function rowsOf<Row = UntypedRow>(
  { queryRunId, first, pages: pagesOf }: Pick<QueryResult, "queryRunId" | "first" | "pages">,
  { schema, maxRows, ...deadline }: RowOptions<Row> & ReadOptions = {},
): AsyncIterableIterator<Row, void, undefined> {
  const rowOf = rowReader({ queryRunId, first }, schema);
  let pages: ReturnType<QueryResult["pages"]> | undefined;
  let items: unknown[] = [];
  let offset = 0;
  let place = 0;
  /** The next page, while it is awaited. */
  let turning: Promise<void> | undefined;
  let failure: unknown;

  async function turn(signal: AbortSignal, end: EndReading): Promise<void> {
    try {
      pages ??= openPages(signal);
      const { value: page } = await pages.next();
      if (page) {
        checkSize(page, maxRows, queryRunId);
        items = [...page.rows];
        place = 0;
        offset = page.offset;
      } else if (!signal.aborted) end();
    } catch (error) {
      failure = error;
    }
    turning = undefined;
  }

  function openPages(signal: AbortSignal) {
    const opened = pagesOf({ signal });
    signal.addEventListener("abort", () => {
      items = [];
      void opened.return?.();
    });
    return opened;
  }

  // An async function would make twice the garbage for each row, and an async generator take twice as long.
  const reading: Reading<Row> = readingOf(deadline, (signal, end) => {
    if (turning) return turning.then(reading.next);
    if (signal.aborted) failure ??= Object.assign(abortError(signal.reason), { queryRunId });
    if (failure) {
      end();
      return Promise.reject(failure);
    }
    if (place < items.length) {
      const row = rowOf(items[place], offset + place);
      // What was read is let go, so that the memory holds one page and not two.
      items[place] = undefined;
      place += 1;
      return row instanceof Promise ? row.then((value) => ({ value }), end) : Promise.resolve({ value: row });
    }
    turning = turn(signal, end);
    return turning.then(reading.next);
  });
  return reading;
}

import { abortError } from "../wire/quern-error.ts";
import type { QueryResult } from "./query-result.ts";
import { type EndIteration, type ResultIterator, resultIterator } from "./result-iterator.ts";
import { checkSize, type ReadOptions, type RowOptions, rowParser, type UntypedRow } from "./row.ts";
import { rowPagesOf } from "./row-download.ts";

/**
 * Iterates over the rows of a result as objects by column name; a repeated name gets a suffix (`_2`, `_3`). Integers
 * beyond 2^53 - 1 and decimals that a double cannot hold are strings. Each call returns a new iterator, which starts at the
 * first row and either reaches the last row or throws. `break`, the signal or the deadline ends the iteration.
 * @example for await (const row of rowsOf(await query(client, { sql }))) console.log(row);
 * @throws {QuernError} during the iteration: `protocol` if a row does not match the schema or there are more rows than
 * `maxRows`, or any kind but `failed` and `canceled`.
 */
export function rowsOf<Row = UntypedRow>(
  result: Pick<QueryResult, "queryRunId" | "first" | "pages">,
  { schema, maxRows, ...deadline }: RowOptions<Row> & ReadOptions = {},
): ResultIterator<Row> {
  const { queryRunId } = result;
  const rowOf = rowParser(result, schema);
  let pages: ReturnType<typeof rowPagesOf> | undefined;
  let items: unknown[] = [];
  /** Number of the first row of the page, and index of the next row in it. */
  let offset = 0;
  let index = 0;
  /** Pending fetch of the next page. */
  let pending: Promise<void> | undefined;
  let failure: unknown;

  async function nextPage(signal: AbortSignal, end: EndIteration): Promise<void> {
    try {
      pages ??= openPages(signal);
      const { value: page } = await pages.next();
      if (page) {
        checkSize(page, maxRows, queryRunId);
        items = [...page.rows];
        index = 0;
        offset = page.offset;
      } else if (!signal.aborted) end();
    } catch (error) {
      failure = error;
    }
    pending = undefined;
  }

  function openPages(signal: AbortSignal) {
    const opened = rowPagesOf(result, signal);
    signal.addEventListener("abort", () => {
      items = [];
      void opened.return?.();
    });
    return opened;
  }

  // Performance: an async function would allocate twice as much for each row, and an async generator would take twice as long.
  const iterator: ResultIterator<Row> = resultIterator(deadline, (signal, end) => {
    if (pending) return pending.then(iterator.next);
    if (signal.aborted) failure ??= Object.assign(abortError(signal.reason), { queryRunId });
    if (failure) {
      end();
      return Promise.reject(failure);
    }
    if (index < items.length) {
      const row = rowOf(items[index], offset + index);
      // Releases the row, so that the memory holds the rows of one page and not of two.
      items[index] = undefined;
      index += 1;
      return row instanceof Promise ? row.then((value) => ({ value }), end) : Promise.resolve({ value: row });
    }
    pending = nextPage(signal, end);
    return pending.then(iterator.next);
  });
  return iterator;
}

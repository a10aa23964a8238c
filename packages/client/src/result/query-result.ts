import type { ColumnType, CreateQueryRunResult, QueryRun } from "@quern/protocol/types";
import { requestsSent } from "#transport";
import { pollUntilFinal, type RunWatch } from "../run/poller.ts";
import { requireSuccess } from "../run/run-state.ts";
import { ignore } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import type { DeadlineOptions } from "../wire/deadline.ts";
import { type ResultIterator, resultIterator } from "./result-iterator.ts";
import { firstPageOf, type PageOptions, pageReader, type ResultPage } from "./result-pages.ts";

/** The result of a run that succeeded. It holds the first page; the other pages are fetched while they are read. */
export interface QueryResult {
  readonly queryRunId: string;
  /** The run as it was reported at its end. */
  readonly queryRun: QueryRun;
  /** Names of the columns as in the statement; a name may repeat. `rowKeysOf` returns the key of each column in the rows. */
  readonly columnNames: readonly string[];
  /** Type of each column's values in the response. */
  readonly columnTypes: readonly ColumnType[];
  /** Number of rows in all pages, after the filters; null if the service does not report it. */
  readonly rowCount: number | null;
  /** The first page, which is fetched with the result. */
  readonly first: ResultPage;
  /**
   * Returns an iterator over the pages, with the rows in their wire format. Each iterator starts at the first row and either reaches
   * the last row or throws. The next page is prefetched; `break`, the signal or the deadline cancels that request.
   */
  readonly pages: (options?: DeadlineOptions) => ResultIterator<ResultPage>;
}

/** Result as this package uses it. The public type lacks these members, so that programs do not depend on them. */
export interface SourcedResult extends QueryResult {
  /** Client for downloads; undefined with filters or an order, whose pages come sooner than their file. */
  readonly source?: Client | undefined;
  /** @param from Page to start with. @default the first page */
  readonly pages: (options?: DeadlineOptions, from?: ResultPage) => ResultIterator<ResultPage>;
}

/**
 * Waits until a run has succeeded and fetches the first page of its result.
 * @param created Response to the create: the run, and its first page if the service has sent it. Empty for a run that
 *   was resumed.
 * @throws {QuernError} of any kind.
 */
export async function openResult(
  client: Client,
  queryRunId: string,
  { queryRun: known, results }: Partial<CreateQueryRunResult>,
  options: PageOptions,
  signal: AbortSignal,
  watch: RunWatch,
): Promise<SourcedResult> {
  const queryRun = requireSuccess(await pollUntilFinal(client, queryRunId, known, signal, watch), queryRunId);
  const read = pageReader(client, queryRunId, options, queryRun.rowCount);
  // The first page of a small result may share a batch with other calls.
  const replyBytes = Number(queryRun.totalSize ?? Infinity);
  const first = await read(0, { signal, replyBytes, unbatched: false }, results);
  const { columnNames, columnTypes, rowCount } = first;

  /**
   * Prefetches one page: each page is requested before the previous one is returned. Of the returned pages, only
   * the first stays in memory.
   */
  function pages(deadline: DeadlineOptions = {}, from = first): ResultIterator<ResultPage> {
    let next: Promise<ResultPage | undefined> = Promise.resolve(from);
    return resultIterator(deadline, async (signal, end) => {
      const current = next;
      next = current.then((page) =>
        page && !page.isLast ? read(page.offset + page.rows.length, { signal }) : undefined,
      );
      next.catch(ignore);
      try {
        const page = await current;
        if (page?.rows.length) {
          // A read with an aborted signal sends no request; it throws the reason with the method and the run id.
          if (signal.aborted) await read(0, { signal });
          // Waits until the prefetch is sent, because the caller may block the event loop while it handles this page.
          await requestsSent();
          return { value: page };
        }
      } catch (error) {
        end(error);
      }
      return end();
    });
  }

  const source = firstPageOf(options) && client;
  return { queryRunId, queryRun, columnNames, columnTypes, rowCount, first, pages, source };
}

import type { ColumnType, QueryRun } from "@quern/protocol/types";
import { departure } from "#transport";
import { watchRun } from "../run/poller.ts";
import { successOf } from "../run/run-state.ts";
import { ignore } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import type { DeadlineOptions } from "../wire/deadline.ts";
import { readingOf } from "./reading.ts";
import { type PageOptions, pageReader, type ResultPage } from "./result-pages.ts";

type Pages = AsyncIterableIterator<ResultPage, void, undefined>;

/** The result of a run that succeeded. Its first page is there; the others are fetched while they are read. */
export interface QueryResult {
  readonly queryRunId: string;
  /** The run as the service last told it. */
  readonly queryRun: QueryRun;
  /** As the statement names them; a name may repeat. `rowKeysOf` gives the keys of the rows, one for each. */
  readonly columnNames: readonly string[];
  /** Type of each column's values in the response. */
  readonly columnTypes: readonly ColumnType[];
  /** Rows of the whole result; null where the service does not tell. */
  readonly rowCount: number | null;
  /** The page that is there already. */
  readonly first: ResultPage;
  /**
   * Rows as they came, a page at a time. Each reading starts at the first row and is complete or throws; leaving its loop,
   * its signal or its deadline stops what is read ahead.
   */
  readonly pages: (options?: DeadlineOptions) => Pages;
}

const smallBytes = 2 ** 20;

/**
 * Waits for the success of a run and fetches the first page of its result.
 * @param known The run as far as it is known.
 */
export async function openResult(
  client: Client,
  queryRunId: string,
  known: QueryRun | undefined,
  options: PageOptions,
  signal: AbortSignal,
  onRun: (run: QueryRun) => void,
): Promise<QueryResult> {
  const queryRun = successOf(await watchRun(client, queryRunId, known, signal, onRun), queryRunId);
  const read = pageReader(client, queryRunId, options, queryRun.rowCount);
  const replyBytes = Number(queryRun.totalSize ?? NaN);
  const first = await read(0, { signal, replyBytes, alone: !(replyBytes <= smallBytes) });
  const { columnNames, columnTypes, rowCount } = first;

  /** All pages in order, each asked for before the one before it is given; what was given is not held. */
  function pages(deadline: DeadlineOptions = {}): Pages {
    /** The page after those that were asked for. */
    let ahead: Promise<ResultPage | undefined> = Promise.resolve(first);
    return readingOf(deadline, async (signal, end) => {
      const current = ahead;
      ahead = current.then((page) =>
        page && !page.isLast ? read(page.offset + page.rows.length, { signal }) : undefined,
      );
      ahead.catch(ignore);
      try {
        const page = await current;
        if (page?.rows.length) {
          // A call that is aborted before it is made fails with the reason, and knows its run.
          if (signal.aborted) await read(0, { signal });
          await departure();
          return { value: page };
        }
      } catch (error) {
        end(error);
      }
      return end();
    });
  }

  return { queryRunId, queryRun, columnNames, columnTypes, rowCount, first, pages };
}

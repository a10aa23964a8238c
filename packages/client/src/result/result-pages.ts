import * as descriptors from "@quern/protocol/methods";
import type { ColumnType, Filter, FirstPageParams, GetQueryRunResultsResult, SortBy } from "@quern/protocol/types";
import { getQueryRunResults } from "../generated/methods.ts";
import { awaitService } from "../run/outage.ts";
import type { CallOptions } from "../wire/call.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError, RequestedPageSizeTooLarge } from "../wire/quern-error.ts";

type Comparison = Exclude<keyof Filter, "column">;

/** Condition on one column: `column` and at least one comparison. A row must meet all comparisons. */
type ColumnFilter = {
  readonly [Name in Comparison]: Filter & { readonly [Given in Name]: Exclude<Filter[Given], undefined> };
}[Comparison];

/**
 * Condition on one column, with at least one comparison of which a row must meet all; or `or`, conditions of which a row
 * must meet at least one.
 */
export type PageFilter = ColumnFilter | { readonly or: readonly ColumnFilter[] };

/**
 * Name of a column. Editors suggest the keys of a row with a type; other names are valid, because the service matches names
 * in any case.
 */
export type ColumnName<Row> = (keyof Row & string) | (string & {});

/** Column to sort by. */
export type ColumnSortBy<Row> = Omit<SortBy, "column"> & { readonly column: ColumnName<Row> };

/** Page size, wire format, filters and order of a result. */
export interface PageOptions<Row = unknown> {
  /**
   * Rows in a page. The client lowers it when the service refuses a page as too large or returns smaller pages.
   * @default 10_000 for the first page, then as many as make about 2 MB of JSON, but at most as many as were read before
   */
  readonly pageSize?: number | undefined;
  /**
   * Format of the rows on the wire: arrays (`csv`) or objects (`json`). `getQueryRunDownload` has other formats.
   * @default "csv"
   */
  readonly format?: "csv" | "json" | undefined;
  readonly filters?: readonly PageFilter[] | undefined;
  readonly sortBy?: readonly ColumnSortBy<NoInfer<Row>>[] | undefined;
}

/** Consecutive rows of a result, in their wire format. */
export interface ResultPage {
  /** Names of the columns as in the statement; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Type of each column's values in the response. */
  readonly columnTypes: readonly ColumnType[];
  /** Number of rows in all pages, after the filters; null if the service does not report it. */
  readonly rowCount: number | null;
  /** Number of the page's first row in the result, from 0. */
  readonly offset: number;
  /** Arrays in the order of the columns (`csv`), or objects (`json`). */
  readonly rows: readonly unknown[];
  /** True if these are the last rows. */
  readonly isLast: boolean;
}

/**
 * Fetches the rows from an offset on, as many as one reply holds.
 * @param known First page as the service has sent it, if it has.
 */
export type ReadPage = (
  offset: number,
  options: CallOptions & { readonly signal: AbortSignal },
  known?: GetQueryRunResultsResult,
) => Promise<ResultPage>;

/**
 * Returns the params of `createQueryRun` that request the first page; undefined with filters or an order, which a create
 * does not have.
 * @throws {TypeError} if the format is neither `csv` nor `json`.
 */
export function firstPageOf(options: PageOptions): FirstPageParams | undefined {
  const { format, filters, sortBy } = options;
  checkFormat(options);
  const size = sizeOf(options);
  // The read of the page reports a size that is not a whole number.
  return filters?.length || sortBy?.length || size % 1 !== 0 ? undefined : { format, page: { size } };
}

function sizeOf({ pageSize = 10_000 }: PageOptions): number {
  return Math.max(1, pageSize);
}

/**
 * Returns a function that reads the pages of a result and never loses rows. A service may refuse a page size or return
 * smaller pages than requested; the reader lowers its size and counts pages by the size that the service uses.
 * @param total Number of rows in the whole result, as the run reports it. Ignored with filters: the pages report the
 * filtered count.
 * @throws {TypeError} if the format is neither `csv` nor `json`.
 */
export function pageReader(
  client: Client,
  queryRunId: string,
  pageOptions: PageOptions,
  total?: number | null,
): ReadPage {
  const { pageSize, format = "csv", filters, sortBy } = pageOptions;
  let rowCount = filters?.length ? null : countOf(total);
  let size = sizeOf(pageOptions);
  /** Number of rows that fit into a page, for the widest rows so far and the limits of the service; 0 if unknown. */
  let fit = 0;
  /**
   * Text of a page to aim for, in characters. The time for a request hardly matters for a page of 2 MB, and reading
   * larger ones costs more time for memory than it saves.
   */
  const pageChars = 2_000_000;
  checkFormat(pageOptions);
  /** True once the service has returned a page of the requested size: it then has no smaller limit of its own. */
  let isFullSize = false;
  const malformed = (text: string) =>
    new QuernError("protocol", text, { queryRunId, method: descriptors.getQueryRunResults.name });

  return async (offset, options, known) => {
    let since = isPage(known) ? 0 : performance.now();
    for (;;) {
      // The service counts pages, so the offset must be a multiple of the page size: it is divided into pages of equal
      // size, the largest that fit. A remainder is less than one row for each page, and is cut off below.
      const requested = Math.floor(offset / Math.ceil(offset / fit)) || size;
      let reply: GetQueryRunResultsResult;
      try {
        const page = { number: Math.floor(offset / requested) + 1, size: requested };
        const params = { queryRunId, format, page, filters, sortBy };
        reply = isPage(known) ? known : await getQueryRunResults(client, params, options);
      } catch (error) {
        if ((error as QuernError).kind === "network") {
          since = await awaitService(client, error as QuernError, queryRunId, since, options.signal);
          continue;
        }
        if (!hasCode(error, RequestedPageSizeTooLarge) || requested <= 1) throw error;
        const suggested = countOf((error.data as { readonly maxPageSize?: unknown } | null)?.maxPageSize) || requested;
        size = fit = suggested < requested ? suggested : Math.ceil(requested / 2);
        continue;
      }
      if (!isPage(reply)) throw malformed("the answer has no rows or no columnNames");
      const { page } = reply;
      const pageRows = reply.rows ?? [];
      rowCount = countOf(page?.totalRows) ?? rowCount;
      // If the service does not report its page size, a short page may show its limit, unless a page was of full size before.
      isFullSize ||= pageRows.length >= requested;
      const rows = pageRows.slice(offset % requested);
      const end = offset + rows.length;
      const shortened = !isFullSize && end < (rowCount ?? Infinity) && pageRows.length;
      const served = Math.min(countOf(page?.currentPageSize) || shortened || requested, requested);
      if (served < requested) {
        size = fit = served;
        // A service that returns smaller pages than requested also numbers them by its own size, so this page began at
        // another row and is read again.
        if (offset >= served) continue;
      }
      // A page that lacks rows does not tell which rows the next page has.
      if (pageRows.length < served && end < (rowCount ?? 0)) throw malformed(`the rows ended at ${end} of ${rowCount}`);
      // Without a row count, only a page that is not full marks the end.
      const isLast = rowCount === null ? pageRows.length < served : end >= rowCount;
      // The last rows resemble the next ones most. A service that does not report its page size may have a limit that
      // larger pages would exceed unnoticed.
      const sample = rows.slice(-100);
      if (pageSize === undefined && page?.currentPageSize)
        fit = Math.min(fit || Infinity, (pageChars * sample.length) / JSON.stringify(sample).length);
      return {
        columnNames: reply.columnNames ?? [],
        columnTypes: reply.columnTypes ?? [],
        rowCount,
        offset,
        rows,
        isLast,
      };
    }
  };
}

/** @throws {TypeError} if the format is neither `csv` nor `json`, which a JavaScript program may pass. */
function checkFormat({ format = "csv" }: PageOptions): void {
  if (format !== "csv" && format !== "json")
    throw new TypeError(`Invalid format: "${format}"; use csv, json or getQueryRunDownload`);
}

/**
 * Tells whether an answer is a page: its rows are objects, or arrays with column names. A page without rows needs no
 * names.
 */
function isPage(reply: GetQueryRunResultsResult | null | undefined): reply is GetQueryRunResultsResult {
  const { rows, columnNames } = reply ?? {};
  const isRow = (row: unknown) =>
    Object(row) === row && Array.isArray(columnNames) && columnNames.length >= Number(Array.isArray(row));
  return rows === null || (Array.isArray(rows) && rows.every(isRow));
}

/** Returns the value if it is a whole number from 0, else null. */
function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value % 1 === 0 ? value : null;
}

import type { RequestedPageSizeTooLargeError } from "@quern/protocol/errors";
import type { Filter, GetQueryRunResultsResult, SortBy } from "@quern/protocol/types";
import type { CallOptions } from "./call.ts";
import type { Client } from "./client.ts";
import { type DeadlineOptions, startDeadline } from "./deadline.ts";
import { getQueryRunResults } from "./generated/methods.ts";
import { hasCode, QuernError } from "./quern-error.ts";
import { rowKeys, type UntypedRow } from "./row.ts";
import type { RowSchema } from "./row-schema.ts";

const RequestedPageSizeTooLarge: RequestedPageSizeTooLargeError["code"] = -32170;
/** Pages fetched ahead of the one that is read. */
const pagesAhead = 2;

/** How a result is cut into pages. */
export interface PageOptions {
  /** Rows a page; 10,000 by default. It shrinks where the service finds its pages too large. */
  readonly pageSize?: number | undefined;
  /** Form of the rows on the wire: `csv` (arrays, the default) or `json` (objects). */
  readonly format?: string | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly sortBy?: readonly SortBy[] | undefined;
}

export interface ResultOptions<Row = UntypedRow> extends PageOptions {
  /** Each row is checked by it, and has its type. */
  readonly schema?: RowSchema<Row> | undefined;
}

/** Consecutive rows of a result, as they came. */
export interface ResultPage {
  /** Number of the first row, from 0. */
  readonly offset: number;
  readonly rows: readonly unknown[];
  /** Whether no row follows these. */
  readonly isLast: boolean;
}

/** Reads pages of one result. */
export interface PageReader {
  readonly columnNames: readonly string[];
  readonly columnTypes: readonly string[];
  /** Keys of the rows as objects, in column order. */
  readonly rowKeys: readonly string[];
  /** Rows of the whole result; undefined where the service does not tell. */
  readonly rowCount: number | undefined;
  readonly first: ResultPage;
  /** All pages in order, read ahead a little; complete, or it throws. */
  pages(options?: DeadlineOptions): AsyncGenerator<ResultPage, void, undefined>;
}

export interface OpenOptions extends PageOptions {
  /** Rows of the whole result, where the run has told; the pages tell it of a filtered one. */
  readonly rowCount?: number | undefined;
  /** Row to start with, from 0. */
  readonly offset?: number | undefined;
  /** Size of the whole result in bytes, where it is known; small ones share a batch. */
  readonly replyBytes?: number | undefined;
}

/** Fetches the first page. */
export async function openPages(
  client: Client,
  queryRunId: string,
  { offset = 0, pageSize = 10_000, format = "csv", filters, sortBy, replyBytes, rowCount: known }: OpenOptions,
  signal: AbortSignal,
): Promise<PageReader> {
  let size = Math.max(1, pageSize);
  /** Rows of the largest page that came as large as asked. */
  let proven = 0;
  let rowCount = filters?.length ? undefined : known;
  let head: GetQueryRunResultsResult | undefined;
  const wrong = (text: string) => new QuernError("protocol", text, { queryRunId, method: "getQueryRunResults" });

  /** The rows from `offset` on: `span` of them unless the result ends before, or as many as the first page has. */
  async function read(offset: number, span: number, options: CallOptions): Promise<ResultPage> {
    const isOpening = !head;
    let rows: readonly unknown[] = [];
    let isLast = false;
    while (rows.length < span) {
      const asked = size;
      const place = offset + rows.length;
      const number = Math.floor(place / asked) + 1;
      const params = { queryRunId, format, page: { number, size: asked }, filters, sortBy };
      let reply: GetQueryRunResultsResult;
      try {
        reply = await getQueryRunResults(client, params, options);
      } catch (error) {
        size = Math.min(size, smallerSize(error, asked, queryRunId));
        continue;
      }
      if (!isPage(reply)) throw wrong("the answer has no rows, or no names for their columns");
      const { page, rows: given } = reply;
      const whole = given ?? [];
      head ??= reply;
      rowCount = page?.totalRows ?? rowCount;
      // Without a word of the service on its pages, one that is not full may be as large as they get, unless one has been.
      if (whole.length >= asked) proven = Math.max(proven, asked);
      const rowsUpTo = (number - 1) * asked + whole.length;
      const isShorter = whole.length > 0 && asked > proven && rowsUpTo < (rowCount ?? Infinity);
      const cut = Math.min(asked, page?.currentPageSize || (isShorter ? whole.length : asked));
      size = Math.min(size, cut);
      // A service that cuts pages smaller than asked also counts them by its own size.
      if (cut < asked && place >= cut) continue;
      const skipped = place % asked;
      const part = whole.slice(skipped, skipped + span - rows.length);
      rows = rows.length === 0 ? part : [...rows, ...part];
      // Without a row count a page that is not full is the only sign of the end.
      const isShort = whole.length < cut;
      isLast =
        rowCount === undefined ? isShort && skipped + part.length >= whole.length : place + part.length >= rowCount;
      if (part.length === 0 && place < (rowCount ?? 0)) throw wrong(`the rows ended at ${place} of ${rowCount}`);
      if (isOpening || isShort || part.length === 0) break;
    }
    return { offset, rows, isLast };
  }

  const first = await read(offset, size, { signal, ...(replyBytes !== undefined && { replyBytes, alone: false }) });
  const columnNames = head?.columnNames ?? [];

  async function* pages(deadline: DeadlineOptions = {}) {
    const quit = new AbortController();
    const end = startDeadline(deadline, (error) => quit.abort(error));
    const { signal } = quit;
    const ahead = [Promise.resolve(first)];
    let delivered = offset;
    let next = offset + first.rows.length;
    try {
      signal.throwIfAborted();
      for (let page = await ahead.shift(); page && page.rows.length > 0; page = await ahead.shift()) {
        if (page.offset !== delivered) break;
        delivered += page.rows.length;
        const count = rowCount ?? (page.isLast ? 0 : Infinity);
        if (rowCount === undefined) next = delivered;
        while (ahead.length < (rowCount === undefined ? 1 : pagesAhead) && next < count) {
          const reading = read(next, size, { signal });
          reading.catch(() => {});
          ahead.push(reading);
          next += size;
        }
        yield page;
        signal.throwIfAborted();
      }
    } finally {
      end();
      quit.abort();
    }
    if (delivered < (rowCount ?? 0)) throw wrong(`the rows ended at ${delivered} of ${rowCount}`);
  }

  const columnTypes = head?.columnTypes ?? [];
  return { columnNames, columnTypes, rowKeys: rowKeys(columnNames, first.rows[0]), rowCount, first, pages };
}

/** Rows are objects, or arrays that need the names of their columns. */
function isPage(reply: GetQueryRunResultsResult | null): boolean {
  const { rows = null, columnNames: names = null } = reply ?? {};
  const isNamed = Array.isArray(names) && (names.length > 0 || !Array.isArray(rows?.[0]));
  if (rows === null) return typeof reply === "object" && reply !== null;
  return isNamed && Array.isArray(rows) && rows.every((row: unknown) => typeof row === "object" && row !== null);
}

/** The size to go on with after a page was too large; any other error is thrown on. */
function smallerSize(error: unknown, asked: number, queryRunId: string): number {
  if (!hasCode(error, RequestedPageSizeTooLarge) || asked <= 1) {
    throw error instanceof QuernError ? Object.assign(error, { queryRunId }) : error;
  }
  const { maxPageSize = 0 } = (error.data ?? {}) as { readonly maxPageSize?: unknown }; // Checked below.
  const fits = Math.floor(Number(maxPageSize));
  return fits >= 1 && fits < asked ? fits : Math.ceil(asked / 2);
}

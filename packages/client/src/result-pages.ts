import type { RequestedPageSizeTooLargeError } from "@quern/protocol/errors";
import type { Filter, GetQueryRunResultsResult, SortBy } from "@quern/protocol/types";
import { departure } from "#transport";
import type { CallOptions } from "./call.ts";
import type { Client } from "./client.ts";
import { getQueryRunResults } from "./generated/methods.ts";
import { hasCode, QuernError } from "./quern-error.ts";
import { rowKeys, type UntypedRow } from "./row.ts";
import type { RowSchema } from "./row-schema.ts";

const RequestedPageSizeTooLarge: RequestedPageSizeTooLargeError["code"] = -32170;

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
  /** Begins to read: all pages in order, each fetched while the one before is read, then undefined; complete, or it throws. */
  open(signal: AbortSignal): () => Promise<ResultPage | undefined>;
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
  /** Whether a page came as large as asked. */
  let isProven = false;
  let rowCount = filters?.length ? undefined : known;
  let head: GetQueryRunResultsResult | undefined;
  const wrong = (text: string) => new QuernError("protocol", text, { queryRunId, method: "getQueryRunResults" });

  /** The rows from `offset` on, as many as one answer holds. */
  async function read(offset: number, options: CallOptions): Promise<ResultPage> {
    for (;;) {
      const asked = size;
      const number = Math.floor(offset / asked) + 1;
      const params = { queryRunId, format, page: { number, size: asked }, filters, sortBy };
      let reply: GetQueryRunResultsResult;
      try {
        reply = await getQueryRunResults(client, params, options);
      } catch (error) {
        size = smallerSize(error, asked, queryRunId);
        continue;
      }
      if (!isPage(reply)) throw wrong("the answer has no rows, or no names for their columns");
      const { page, rows: given } = reply;
      const whole = given ?? [];
      head ??= reply;
      rowCount = countOf(page?.totalRows) ?? rowCount;
      // Without a word of the service on its pages, one that is not full may be as large as they get, unless one has been.
      isProven ||= whole.length >= asked;
      const isShorter = !isProven && whole.length > 0 && (number - 1) * asked + whole.length < (rowCount ?? Infinity);
      size = Math.min(asked, countOf(page?.currentPageSize) || (isShorter ? whole.length : asked));
      // A service that cuts pages smaller than asked also counts them by its own size.
      if (size < asked && offset >= size) continue;
      const rows = whole.slice(offset % asked);
      const end = offset + rows.length;
      if (rows.length === 0 && end < (rowCount ?? 0)) throw wrong(`the rows ended at ${end} of ${rowCount}`);
      // Without a row count a page that is not full is the only sign of the end.
      return { offset, rows, isLast: rowCount === undefined ? whole.length < size : end >= rowCount };
    }
  }

  const first = await read(offset, { signal, ...(replyBytes !== undefined && { replyBytes, alone: false }) });
  const columnNames = head?.columnNames ?? [];

  function open(signal: AbortSignal) {
    let next: Promise<ResultPage> | undefined = Promise.resolve(first);
    return async () => {
      const page = await next;
      next = undefined;
      signal.throwIfAborted();
      if (page && !page.isLast) {
        next = read(page.offset + page.rows.length, { signal });
        next.catch(() => {});
        await departure();
      }
      return page?.rows.length ? page : undefined;
    };
  }

  const columnTypes = head?.columnTypes ?? [];
  return { columnNames, columnTypes, rowKeys: rowKeys(columnNames, first.rows[0]), rowCount, first, open };
}

/** Rows are objects, or arrays that need the names of their columns. */
function isPage(reply: GetQueryRunResultsResult | null): boolean {
  const { rows = null, columnNames: names = null } = reply ?? {};
  const isNamed = Array.isArray(names) && (names.length > 0 || !Array.isArray(rows?.[0]));
  if (rows === null) return typeof reply === "object" && reply !== null;
  return isNamed && Array.isArray(rows) && rows.every((row: unknown) => typeof row === "object" && row !== null);
}

/** Pages are counted by what is a count only. */
function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
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

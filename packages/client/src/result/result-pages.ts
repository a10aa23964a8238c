import * as descriptors from "@quern/protocol/methods";
import type { ColumnType, Filter, GetQueryRunResultsResult, SortBy } from "@quern/protocol/types";
import { getQueryRunResults } from "../generated/methods.ts";
import { awaitService } from "../run/outage.ts";
import type { CallOptions } from "../wire/call.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError, RequestedPageSizeTooLarge } from "../wire/quern-error.ts";

type Comparison = Exclude<keyof Filter, "column">;

/** A condition on one column: `column` and at least one comparison; all of them must hold. */
export type PageFilter = {
  readonly [Name in Comparison]: Filter & { readonly [Given in Name]: Exclude<Filter[Given], undefined> };
}[Comparison];

/** How a result is cut into pages. */
export interface PageOptions {
  /** Rows a page; 10,000 by default. It shrinks where the service finds its pages too large. */
  readonly pageSize?: number | undefined;
  /**
   * Form of the rows on the wire: arrays (`csv`) or objects (`json`). Other forms are for `getQueryRunDownload`.
   * @default "csv"
   */
  readonly format?: "csv" | "json" | undefined;
  readonly filters?: readonly PageFilter[] | undefined;
  readonly sortBy?: readonly SortBy[] | undefined;
}

/** Consecutive rows of a result, as they came. */
export interface ResultPage {
  /** As the statement names them; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Type of each column's values in the response. */
  readonly columnTypes: readonly ColumnType[];
  /** Rows of the whole result; null where the service does not tell. */
  readonly rowCount: number | null;
  /** Number of the first row, from 0. */
  readonly offset: number;
  readonly rows: readonly unknown[];
  /** Whether no row follows these. */
  readonly isLast: boolean;
}

/** Fetches the rows from an offset on, as many as one answer holds. */
export type ReadPage = (offset: number, options: CallOptions & { readonly signal: AbortSignal }) => Promise<ResultPage>;

/**
 * Reads the pages of a result; none is ever cut.
 * @param known Rows of the whole result, where the run has told; the pages tell it of a filtered one.
 */
export function pageReader(
  client: Client,
  queryRunId: string,
  { pageSize = 10_000, format = "csv", filters, sortBy }: PageOptions,
  known?: number | null,
): ReadPage {
  let rowCount = filters?.length ? null : (countOf(known) ?? null);
  let size = Math.max(1, pageSize);
  checkFormat({ format });
  /** Whether a page came as large as asked. */
  let isProven = false;
  const { name: method } = descriptors.getQueryRunResults;
  const wrong = (text: string) => new QuernError("protocol", text, { queryRunId, method });

  return async (offset, options) => {
    let since = performance.now();
    for (;;) {
      const asked = size;
      const number = Math.floor(offset / asked) + 1;
      let reply: GetQueryRunResultsResult;
      try {
        const params = { queryRunId, format, page: { number, size: asked }, filters, sortBy };
        reply = await getQueryRunResults(client, params, options);
      } catch (error) {
        if ((error as QuernError).kind === "network") {
          since = await awaitService(client, error as QuernError, queryRunId, since, options.signal);
          continue;
        }
        if (!hasCode(error, RequestedPageSizeTooLarge) || asked <= 1) throw error;
        const { maxPageSize } = (error.data ?? {}) as { readonly maxPageSize?: unknown }; // Checked by `countOf`.
        const fits = countOf(maxPageSize) || asked;
        size = fits < asked ? fits : Math.ceil(asked / 2);
        continue;
      }
      if (!isPage(reply)) throw wrong("the answer has no rows or no column names");
      const { page, columnNames, columnTypes } = reply;
      const whole = reply.rows ?? [];
      rowCount = countOf(page?.totalRows) ?? rowCount;
      // Without a word of the service on its pages, one that is not full may be as large as they get, unless one has been.
      isProven ||= whole.length >= asked;
      const rows = whole.slice(offset % asked);
      const end = offset + rows.length;
      const isShorter = !isProven && whole.length > 0 && end < (rowCount ?? Infinity);
      size = Math.min(asked, countOf(page?.currentPageSize) || (isShorter ? whole.length : asked));
      // A service that cuts pages smaller than asked also counts them by its own size.
      if (size < asked && offset >= size) continue;
      if (rows.length === 0 && end < (rowCount ?? 0)) throw wrong(`the rows ended at ${end} of ${rowCount}`);
      // Without a row count a page that is not full is the only sign of the end.
      const isLast = rowCount === null ? whole.length < size : end >= rowCount;
      return { columnNames: columnNames ?? [], columnTypes: columnTypes ?? [], rowCount, offset, rows, isLast };
    }
  };
}

/** @throws {TypeError} if the format is neither `csv` nor `json`, which a program without types may pass. */
export function checkFormat({ format = "csv" }: PageOptions): void {
  if (format !== "csv" && format !== "json")
    throw new TypeError(`Invalid format: "${format}"; use "csv" or "json", or getQueryRunDownload for files`);
}

/** Rows are objects, or arrays that need the names of their columns; where there are no rows there may be no names. */
function isPage(reply: GetQueryRunResultsResult | null): boolean {
  const { rows, columnNames } = reply ?? {};
  if (rows === null) return true;
  const names = rows?.length === 0 ? (columnNames ?? []) : columnNames;
  const isNamed = Array.isArray(names) && (names.length > 0 || !Array.isArray(rows?.[0]));
  return isNamed && Array.isArray(rows) && rows.every((row: unknown) => typeof row === "object" && row !== null);
}

/** Pages are counted by what is a count only. */
function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value % 1 === 0 ? value : undefined;
}

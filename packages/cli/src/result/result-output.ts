import { type Client, type QueryResult, resumeQuery, rowKeysOf } from "@quern/client";
import { type Format, isBinary, type ResultFormat } from "../output/format.ts";
import { jsonArrayOf } from "../output/json.ts";
import type { Row } from "../output/row.ts";
import { rowWriter, tableCut } from "../output/rows.ts";
import type { TableOptions } from "../output/table.ts";
import { secondsText } from "../run/progress.ts";
import { openDownload } from "./download.ts";

/** Result of a run that succeeded, or only the id of the run. */
export type OpenedResult = QueryResult | Pick<QueryResult, "queryRunId">;

export interface ResultOutput {
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Returns the line below a table. */
  readonly summary?: (elapsedMs: number) => string;
}

/** Formats of the service from which those of the command are made. Others are made from pages. */
const downloadFormats = {
  csv: "csv",
  json: "ndjson",
  jsonl: "ndjson",
  parquet: "parquet",
  arrow: "arrow",
  arrows: "arrow",
} as const;

/** Formats that the command makes from pages of rows. */
type PagedFormat = Exclude<ResultFormat, keyof typeof downloadFormats>;

export const isPaged = (format: ResultFormat): format is PagedFormat => !Object.hasOwn(downloadFormats, format);

/** Number of rows up to which text formats are written from the first page, without a download. */
const smallRows = 1_000;

/**
 * Returns the number of rows to request with a query; undefined for the default of the client. A result that is always
 * downloaded needs no rows.
 */
export function firstPageSize(format: ResultFormat): number | undefined {
  if (isPaged(format)) return undefined;
  return isBinary(format) ? 0 : smallRows;
}

/**
 * Reads tables, TSV and Markdown from the pages of the result, and other formats from its download. Text formats are made from the
 * pages, too, if the result is opened with all its rows or the download cannot be opened.
 */
export async function resultOutput(
  client: Client,
  opened: OpenedResult,
  format: ResultFormat,
  terminalWidth: number | undefined,
  signal: AbortSignal,
): Promise<ResultOutput> {
  const { queryRunId } = opened;
  const isOpen = "pages" in opened;
  const open = async () => (isOpen ? opened : resumeQuery(client, queryRunId, { signal }));
  if (isPaged(format)) {
    const result = await open();
    const cut = tableCut(result.columnNames.length);
    return {
      pieces: texts(result, format, signal, { terminalWidth, onCut: cut.onCut }),
      summary: (elapsedMs) => summaryOf(result, cut.text(), elapsedMs),
    };
  }
  if (!isBinary(format) && isOpen && opened.first.isLast) return { pieces: texts(opened, format, signal) };
  try {
    const bytes = await openDownload(client, queryRunId, downloadFormats[format], signal);
    if (format === "json") return { pieces: jsonArrayOf(bytes) };
    if (format !== "arrow") return { pieces: bytes };
    // The module has a library of Arrow, which other formats do not need.
    const { arrowFileOf } = await import("./arrow-file.ts");
    return { pieces: arrowFileOf(bytes) };
  } catch (error) {
    if (isBinary(format) || signal.aborted) throw error;
    return { pieces: texts(await open(), format, signal) };
  }
}

/** Writes the result as text, a page at a time. */
async function* texts(
  result: QueryResult,
  format: Format,
  signal: AbortSignal,
  table?: TableOptions,
): AsyncGenerator<string, void, undefined> {
  const { columnNames, columnTypes, first } = result;
  // The same keys as in a download: in lower case, as in the format `json` of `getQueryRunResults`.
  const keys = rowKeysOf({ ...first, rows: [], columnNames: columnNames.map((name) => name.toLowerCase()) });
  const columns = keys.map((key, at) => ({ key, name: columnNames[at] ?? key, type: columnTypes[at] ?? "unknown" }));
  const writer = rowWriter(format, columns, table);
  yield writer.head();
  // Rows are arrays, because the client requests no other format.
  for await (const { rows } of result.pages({ signal })) yield writer.page(rows as readonly Row[]);
  yield writer.tail();
}

function summaryOf({ rowCount, first }: QueryResult, cut: string | undefined, elapsedMs: number): string {
  const rows = rowCount ?? first.rows.length;
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${secondsText(elapsedMs)}${cut === undefined ? "" : `, ${cut}`}`;
}

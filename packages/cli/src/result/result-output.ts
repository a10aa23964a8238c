import { type Client, type QueryResult, resumeQuery, rowKeysOf } from "@quern/client";
import { groupedDigits } from "../output/digits.ts";
import { type Format, isBinary, type ResultFormat } from "../output/format.ts";
import { jsonArrayOf } from "../output/json.ts";
import type { Row, TextOptions } from "../output/row.ts";
import { rowWriter, tableCut } from "../output/rows.ts";
import type { TableOptions } from "../output/table.ts";
import { secondsText } from "../run/progress.ts";
import { openDownload } from "./download.ts";

/** Result of a run that succeeded, or only the id of the run. */
export type OpenedResult = QueryResult | Pick<QueryResult, "queryRunId">;

export interface ResultOutput {
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Line about the rows that `--max-rows` leaves out. */
  readonly note?: string | undefined;
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

const hasDownload = (format: ResultFormat): format is keyof typeof downloadFormats =>
  Object.hasOwn(downloadFormats, format);

/** Options of the output that flags set. */
export interface OutputOptions extends TextOptions {
  readonly terminalWidth?: number | undefined;
  /** Rows to print. @default Infinity */
  readonly maxRows?: number | undefined;
  /** Words that print what is left out. @default flags of the command */
  readonly advice?: Advice | undefined;
}

/** Words that print all columns, and those that print more rows. */
export interface Advice {
  readonly full: string;
  readonly rows: string;
}

/** Returns whether the output is made from pages of rows: the service has no download with these options. */
export function isPaged(format: ResultFormat, { header, nullText, maxRows }: OutputOptions = {}): boolean {
  if (isBinary(format)) return false;
  if (!hasDownload(format) || maxRows !== undefined) return true;
  return format === "csv" && (header === false || nullText !== undefined);
}

/** Rows of the largest page that the command requests. */
const largestPage = 10_000;

/** Number of rows up to which text formats are written from the first page, without a download. */
const smallRows = 1_000;

/**
 * Returns the number of rows to request with a query; undefined for the default of the client. A result that is always
 * downloaded needs no rows.
 */
export function firstPageSize(format: ResultFormat, options: OutputOptions = {}): number | undefined {
  if (isPaged(format, options)) return options.maxRows && Math.min(options.maxRows, largestPage);
  return isBinary(format) ? 0 : smallRows;
}

/**
 * Reads tables, TSV and Markdown from the pages of the result, and other formats from its download unless an option needs pages. Text formats are made from the
 * pages, too, if the result is opened with all its rows or the download cannot be opened.
 */
export async function resultOutput(
  client: Client,
  opened: OpenedResult,
  format: ResultFormat,
  options: OutputOptions,
  signal: AbortSignal,
): Promise<ResultOutput> {
  const { queryRunId } = opened;
  const isOpen = "pages" in opened;
  const open = async () => (isOpen ? opened : resumeQuery(client, queryRunId, { signal }));
  if (!hasDownload(format) || (!isBinary(format) && isPaged(format, options))) {
    const result = await open();
    const cut = tableCut(result.columnNames.length, options.advice?.full);
    const pieces = texts(result, format, signal, { ...options, onCut: cut.onCut });
    if (format === "plan") return { pieces };
    const rows = rowsText(result, options);
    const rest = () => [cut.text(), rows.note === undefined ? undefined : options.advice?.rows];
    return { pieces, note: rows.note, summary: (elapsedMs) => summaryOf(rows.counted, rest(), elapsedMs) };
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
  { maxRows = Infinity, ...options }: OutputOptions & TableOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { columnNames, columnTypes, first } = result;
  // The same keys as in a download: in lower case, as in the format `json` of `getQueryRunResults`.
  const keys = rowKeysOf({ ...first, rows: [], columnNames: columnNames.map((name) => name.toLowerCase()) });
  const columns = keys.map((key, at) => ({ key, name: columnNames[at] ?? key, type: columnTypes[at] ?? "unknown" }));
  const writer = rowWriter(format, columns, options);
  yield writer.head();
  // Rows are arrays, because the client requests no other format.
  let left = maxRows;
  for await (const { rows } of result.pages({ signal })) {
    yield writer.page((rows.length > left ? rows.slice(0, left) : rows) as readonly Row[]);
    left -= rows.length;
    if (left <= 0) break;
  }
  yield writer.tail();
}

/** Returns the number of rows as a text, and the line about those that are not printed. */
function rowsText({ rowCount, first }: QueryResult, { maxRows = Infinity, advice }: OutputOptions) {
  const rows = rowCount ?? first.rows.length;
  const all = `${groupedDigits(rows)} ${rows === 1 ? "row" : "rows"}`;
  if (rows <= maxRows) return { counted: all, note: undefined };
  const printed = groupedDigits(maxRows);
  const note = `the first ${printed} of ${all}; ${advice?.rows ?? "--max-rows prints more"}`;
  return { counted: `${printed} of ${all}`, note };
}

function summaryOf(counted: string, rest: readonly (string | undefined)[], elapsedMs: number): string {
  return [`${counted} in ${secondsText(elapsedMs)}`, ...rest.filter((each) => each !== undefined)].join(", ");
}

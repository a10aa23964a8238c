import type { Context } from "../command-function.ts";
import type { JsonFlag } from "../flags.ts";
import type { FormatFlags } from "./flags.ts";
import { chosenFormat, type Format } from "./format.ts";
import { jsonlWriter, jsonWriter } from "./json.ts";
import { markdownWriter } from "./markdown.ts";
import { cellText, type OutputColumn, printable, type RowWriter } from "./row.ts";
import { type TableCut, type TableOptions, tableWriter } from "./table.ts";
import { write } from "./target.ts";
import { terminalColumns } from "./terminal.ts";

const writers: Readonly<Record<Format, (columns: readonly OutputColumn[], options?: TableOptions) => RowWriter>> = {
  table: tableWriter,
  csv: (columns) => separatedWriter(columns, ","),
  tsv: (columns) => separatedWriter(columns, "\t"),
  json: jsonWriter,
  jsonl: jsonlWriter,
  markdown: markdownWriter,
};

/** Creates the writer of a format. @param options Options of tables; other formats ignore them. */
export function rowWriter(format: Format, columns: readonly OutputColumn[], options?: TableOptions): RowWriter {
  return writers[format](columns, options);
}

/** Prints the named members of each row as columns. The first column, such as an id or a name, is not narrowed. */
export async function writeRows(
  { process: { stdout, stderr, env } }: Context,
  flags: FormatFlags,
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns: OutputColumn[] = names.map((name, at) => {
    const type = rows.some((row) => typeof row[name] === "number") ? "number" : "string";
    // Ids and times are not narrowed: ids are arguments of other commands, and part of a time is useless.
    return { name, key: name, type, isWhole: at === 0 || name.endsWith("_at") };
  });
  const terminalWidth = flags.full ? undefined : terminalColumns(stdout, env);
  const cut = tableCut(names.length);
  const writer = rowWriter(chosenFormat(flags, stdout), columns, { terminalWidth, onCut: cut.onCut });
  const cells = rows.map((row) => names.map((name) => row[name] ?? null));
  await write(stdout, writer.head() + writer.page(cells) + writer.tail());
  const text = cut.text();
  if (text !== undefined) stderr.write(`${text}\n`);
}

/** Prints the names that a command has changed: a line for each, such as `removed orders`, or one JSON object. */
export async function writeDone(
  { process: { stdout } }: Context,
  { json }: JsonFlag,
  verb: string,
  names: readonly string[],
): Promise<void> {
  const lines = json ? [JSON.stringify({ [verb]: names })] : names.map((name) => `${verb} ${printable(name)}`);
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
}

/** Collects what the terminal cuts from a table, for the line below it. */
export function tableCut(columns: number) {
  let hidden = 0;
  let isShortened = false;
  return {
    onCut(cut: TableCut): void {
      if ("hiddenColumns" in cut) hidden = cut.hiddenColumns;
      else isShortened = true;
    },
    /** Returns undefined if nothing is cut. */
    text(): string | undefined {
      if (hidden > 0) return `${columns - hidden} of ${columns} columns; --full prints all`;
      return isShortened ? "some cells are shortened; --full prints them whole" : undefined;
    },
  };
}

export function timeText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/**
 * Writes CSV (RFC 4180) with a header, but with LF as line end, as Unix tools do, or the same with tabs. NULL is an empty
 * field, an empty text is `""`.
 */
function separatedWriter(columns: readonly OutputColumn[], separator: "," | "\t"): RowWriter {
  const record = (values: readonly unknown[]) => `${values.map((value) => field(value, separator)).join(separator)}\n`;
  return {
    head: () => record(columns.map(({ name }) => name)),
    page: (rows) => rows.map(record).join(""),
    tail: () => "",
  };
}

function field(value: unknown, separator: string): string {
  if (value === null || value === undefined) return "";
  const text = cellText(value);
  return text === "" || /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

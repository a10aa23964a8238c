import type { JsonFlag } from "../flags.ts";
import { fittedWriter } from "./fitted.ts";
import { type FormatFlags, textOptionsOf } from "./flags.ts";
import { chosenFormat, type Format, type ProfileFormat } from "./format.ts";
import { jsonlWriter, jsonWriter } from "./json.ts";
import { markdownWriter } from "./markdown.ts";
import { planWriter } from "./plan.ts";
import { type OutputColumn, printable, type RowWriter } from "./row.ts";
import { separatedWriter } from "./separated.ts";
import { type TableCut, type TableOptions, tableWriter } from "./table.ts";
import { type OutputProcess, write } from "./target.ts";
import { terminalColumns } from "./terminal.ts";
import { verticalWriter } from "./vertical.ts";

const writers: Readonly<Record<Format, (columns: readonly OutputColumn[], options?: TableOptions) => RowWriter>> = {
  table: tableWriter,
  vertical: verticalWriter,
  csv: (columns, options) => separatedWriter(columns, ",", options),
  tsv: (columns, options) => separatedWriter(columns, "\t", options),
  json: jsonWriter,
  jsonl: jsonlWriter,
  markdown: markdownWriter,
  plan: planWriter,
  fitted: fittedWriter,
};

/** Creates the writer of a format. @param options Options that the format does not have are ignored. */
export function rowWriter(format: Format, columns: readonly OutputColumn[], options?: TableOptions): RowWriter {
  return writers[format](columns, options);
}

/** Least width of the SQL of a statement. Columns to its right are dropped before it is narrower. */
const sqlColumns = 24;

/**
 * Prints the named members of each row as columns. The first column, such as an id or a name, is not narrowed.
 * @param full Words for what prints a table that is cut. @default "--full"
 */
export async function writeRows(
  { process: { stdout, stderr, env } }: { readonly process: OutputProcess },
  flags: FormatFlags & ProfileFormat,
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  full?: string,
): Promise<void> {
  const columns: OutputColumn[] = names.map((name, at) => {
    const type = rows.some((row) => typeof row[name] === "number") ? "number" : "string";
    // Ids and times are not narrowed: ids are arguments of other commands, and part of a time is useless.
    return {
      name,
      key: name,
      type,
      isWhole: at === 0 || name.endsWith("_at"),
      ...(name === "sql" && { minimumWidth: sqlColumns }),
    };
  });
  const terminalWidth = flags.full ? undefined : terminalColumns(stdout, env);
  const cut = tableCut(names.length, full);
  const options = { terminalWidth, onCut: cut.onCut, ...textOptionsOf(flags) };
  const writer = rowWriter(chosenFormat(flags, stdout), columns, options);
  const cells = rows.map((row) => names.map((name) => row[name] ?? null));
  await write(stdout, writer.head() + writer.page(cells) + writer.tail());
  const text = cut.text();
  if (text !== undefined) stderr.write(`${text}\n`);
}

/** Prints the names that a command has changed: a line for each, such as `removed orders`, or one JSON object. */
export async function writeDone(
  { process: { stdout } }: { readonly process: OutputProcess },
  { json }: JsonFlag,
  verb: string,
  names: readonly string[],
): Promise<void> {
  const lines = json ? [JSON.stringify({ [verb]: names })] : names.map((name) => `${verb} ${printable(name)}`);
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
}

/** Collects what the terminal cuts from a table, for the line below it. @param full Flag or command that prints all. */
export function tableCut(columns: number, full = "--full") {
  let hidden = 0;
  let isShortened = false;
  return {
    onCut(cut: TableCut): void {
      if ("hiddenColumns" in cut) hidden = cut.hiddenColumns;
      else isShortened = true;
    },
    /** Returns undefined if nothing is cut. */
    text(): string | undefined {
      if (hidden > 0) return `${columns - hidden} of ${columns} columns; ${full} prints all`;
      return isShortened ? `some cells are shortened; ${full} prints them whole` : undefined;
    },
  };
}

export function timeText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

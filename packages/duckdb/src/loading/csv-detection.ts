import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { type CsvOptions, SourceError } from "../sources/origin.ts";
import { type CsvFile, readCsvFile, usualLongest } from "./csv-file.ts";
import type { ValueForms } from "./exact-value.ts";
import { literal } from "./files.ts";

/** CSV file with what the engine has detected. */
export interface DetectedCsv extends CsvFile {
  readonly header: boolean;
  readonly columns: ReadonlyMap<string, string>;
  /** Columns that have numbers, dates or the like, and empty texts in quotes. */
  readonly withEmptyTexts: ReadonlySet<string>;
  readonly forms: ValueForms;
}

/** Returns the options of the engine that are the same for the detection and for the load. */
export function csvSettings(
  files: readonly CsvFile[],
  { nullText = [""], decimalSeparator }: CsvOptions,
): readonly string[] {
  const [{ dialect, skip }] = files as [CsvFile];
  const { delimiter, quote } = dialect;
  const longest = Math.max(...files.map((file) => file.longest));
  return [
    `delim = ${quotedText(delimiter)}`,
    `quote = ${quotedText(quote)}`,
    `escape = ${quotedText(dialect.escape)}`,
    `skip = ${skip}`,
    `nullstr = [${nullText.map(quotedText).join(", ")}]`,
    "strict_mode = true",
    ...(decimalSeparator === undefined ? [] : [`decimal_separator = ${quotedText(decimalSeparator)}`]),
    // The limits of the engine by default are 2 MB for a row, and 32 MB for a buffer.
    ...(longest <= usualLongest
      ? []
      : [`max_line_size = ${longest + 1024}`, `buffer_size = ${Math.max(32_000_000, 2 * longest)}`]),
  ];
}

/**
 * Detects the names and types of the columns with the engine.
 * @param sample rows from which the types are detected. @default all
 * @throws {SourceError} with the line that the engine cannot read
 */
export async function detectCsv(
  connection: DuckDBConnection,
  file: CsvFile,
  csv: CsvOptions,
  sample = -1,
): Promise<DetectedCsv> {
  const found = await sniffed(connection, file, csv, `sample_size = ${sample}, allow_quoted_nulls = true`);
  if (found instanceof Error || found.columns.size !== file.fields) {
    // The reader of this package names the line of a row that cannot be read.
    const { longest } = await readCsvFile({ ...file, header: false }, csv, []);
    if (longest > file.longest) return detectCsv(connection, { ...file, longest }, csv, sample);
    throw new SourceError(
      `Columns that cannot be told apart: ${file.shown}; set --delimiter, --quote and --header, or --skip if the table begins at a later line`,
      { cause: found },
    );
  }
  const withEmptyTexts = new Set<string>();
  if (file.hasEmptyTexts) {
    const strict = await sniffed(connection, file, csv, `sample_size = ${sample}, allow_quoted_nulls = false`);
    for (const [name, type] of found.columns)
      if (strict instanceof Error || strict.columns.get(name) !== type) withEmptyTexts.add(name);
  }
  return { ...file, ...found, withEmptyTexts };
}

async function sniffed(
  connection: DuckDBConnection,
  file: CsvFile,
  csv: CsvOptions,
  settings: string,
): Promise<Error | Pick<DetectedCsv, "header" | "columns" | "forms">> {
  const options = [quotedText(literal(file.path)), ...csvSettings([file], csv), settings];
  if (csv.header !== undefined) options.push(`header = ${csv.header}`);
  const query = `SELECT HasHeader, DateFormat, TimestampFormat, Columns FROM sniff_csv(${options.join(", ")})`;
  const reader = await connection.runAndReadAll(query).catch((error: Error) => error);
  if (reader instanceof Error) return reader;
  const [header, dateFormat, timestampFormat, columns] = reader.getRowsJson()[0] as [
    boolean,
    string | null,
    string | null,
    readonly { readonly name: string; readonly type: string }[],
  ];
  return {
    header,
    columns: new Map(columns.map(({ name, type }) => [name, type])),
    forms: {
      dateFormat: dateFormat ?? undefined,
      timestampFormat: timestampFormat ?? undefined,
      decimalSeparator: csv.decimalSeparator,
    },
  };
}

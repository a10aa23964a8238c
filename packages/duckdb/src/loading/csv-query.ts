import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type CsvOptions, type FileOptions, SourceError } from "../sources/origin.ts";
import { columnTypes } from "./column-types.ts";
import { type CsvFile, examineCsv } from "./csv-file.ts";
import { exactSelection, numberType, type ValueForms } from "./exact-value.ts";
import { type FilesQuery, type InexactValues, literal, type OriginFile } from "./files.ts";

/** Rows of a file from which types are detected first. */
const sampleRows = 20_000;

/** CSV file with what the engine has detected. */
interface DetectedCsv extends CsvFile {
  readonly header: boolean;
  readonly columns: ReadonlyMap<string, string>;
  /** Columns that have numbers, dates or the like, and empty texts in quotes. */
  readonly withEmptyTexts: ReadonlySet<string>;
  readonly forms: ValueForms;
}

/**
 * Returns the query that reads CSV files with everything given, so that the engine skips no lines and guesses no
 * delimiter, and an error tells of each row that it cannot read. The engine detects types of all rows in one thread, so
 * they are first detected from some rows, and checked while all rows are read.
 */
export async function csvQuery(
  connection: DuckDBConnection,
  files: readonly OriginFile[],
  options: FileOptions,
  workDirectory: string,
): Promise<FilesQuery> {
  const csv = options.csv ?? {};
  const examined: CsvFile[] = [];
  for (const [index, { path, shown }] of files.entries())
    examined.push(await examineCsv(path, shown, csv, join(workDirectory, `file-${index}.csv`)));
  const typedFrom = (sample: number | undefined) => typedQuery(connection, examined, options, sample);
  if (csv.sample !== undefined) return typedFrom(csv.sample);
  return { ...(await typedFrom(sampleRows)), ofAllRows: () => typedFrom(undefined) };
}

/** @param sample rows of each file from which types are detected; undefined for all */
async function typedQuery(
  connection: DuckDBConnection,
  files: readonly CsvFile[],
  options: FileOptions,
  sample: number | undefined,
): Promise<FilesQuery> {
  const csv = options.csv ?? {};
  const detected: DetectedCsv[] = [];
  for (const file of files) detected.push(await detect(connection, file, csv, sample));
  const isSampled = sample !== undefined;
  const found = await unifiedTypes(connection, detected, csv, isSampled);
  const types = await columnTypes(connection, found, options);
  const given = new Set(Object.keys(options.types ?? {}).map((name) => name.toLowerCase()));
  const isGiven = (name: string): boolean => given.has(name.toLowerCase()) || options.allText === true;
  const alike = new Map<string, DetectedCsv[]>();
  for (const file of detected) {
    const { dialect, header, columns, skip, forms, withEmptyTexts } = file;
    const key = JSON.stringify([
      partitionsOf(file),
      dialect,
      header,
      [...columns.keys()],
      skip,
      forms,
      [...withEmptyTexts],
    ]);
    alike.set(key, [...(alike.get(key) ?? []), file]);
  }
  const groups = [...alike.values()].map((group) => selectOf(group, csv, types, isGiven, isSampled));
  const total = (count: (file: DetectedCsv) => number): number => detected.reduce((sum, file) => sum + count(file), 0);
  return {
    query: groups.map(({ query }) => query).join(" UNION ALL BY NAME "),
    rows: total(({ records, header }) => records - (header ? 1 : 0)),
    padded: total(({ padded }) => padded),
    ignored: total(({ ignored }) => ignored),
    inexact: groups.flatMap(({ inexact }) => inexact),
  };
}

function selectOf(
  group: readonly DetectedCsv[],
  csv: CsvOptions,
  types: ReadonlyMap<string, string>,
  isGiven: (name: string) => boolean,
  isSampled: boolean,
): { readonly query: string; readonly inexact: readonly InexactValues[] } {
  const [{ columns, withEmptyTexts, forms }] = group as [DetectedCsv];
  const typeOf = new Map([...types].map(([name, type]) => [name.toLowerCase(), type]));
  const read = new Map<string, string>();
  const selected: string[] = [];
  const inexact: InexactValues[] = [];
  for (const name of columns.keys()) {
    const type = typeOf.get(name.toLowerCase()) ?? "VARCHAR";
    const isConverted =
      type !== "VARCHAR" && (isSampled || isGiven(name) || withEmptyTexts.has(name) || type === "HUGEINT");
    read.set(name, isConverted ? "VARCHAR" : type);
    if (!isConverted) {
      selected.push(quotedName(name));
      continue;
    }
    const text = withEmptyTexts.has(name) ? `nullif(${quotedName(name)}, '')` : quotedName(name);
    const { selection, invalid } = exactSelection(text, name, type, forms, isSampled && !isGiven(name));
    selected.push(selection);
    for (const file of group)
      inexact.push({ name, type, text, invalid, shown: file.shown, from: readCsv([file], csv, textsOf(columns)) });
  }
  for (const [name, value] of partitionsOf(group[0] as DetectedCsv)) {
    const type = typeOf.get(name.toLowerCase()) ?? "VARCHAR";
    selected.push(`CAST(${quotedText(value)} AS ${type}) AS ${quotedName(name)}`);
  }
  return { query: `SELECT ${selected.join(", ")} FROM ${readCsv(group, csv, read)}`, inexact };
}

const textsOf = (columns: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...columns.keys()].map((name) => [name, "VARCHAR"]));

function readCsv(files: readonly DetectedCsv[], csv: CsvOptions, columns: ReadonlyMap<string, string>): string {
  const [{ header, forms }] = files as [DetectedCsv];
  const types = [...columns].map(([name, type]) => `${quotedText(name)}: ${quotedText(type)}`);
  return `read_csv(${[
    `[${files.map(({ path }) => quotedText(literal(path))).join(", ")}]`,
    "auto_detect = false",
    `header = ${header}`,
    `columns = {${types.join(", ")}}`,
    ...(forms.dateFormat === undefined ? [] : [`dateformat = ${quotedText(forms.dateFormat)}`]),
    ...(forms.timestampFormat === undefined ? [] : [`timestampformat = ${quotedText(forms.timestampFormat)}`]),
    "allow_quoted_nulls = false",
    ...given(files, csv),
  ].join(", ")})`;
}

/** Returns the options of the engine that are the same for the detection and for the load. */
function given(files: readonly CsvFile[], { nullText = [""], decimalSeparator }: CsvOptions): readonly string[] {
  const [{ dialect, skip }] = files as [CsvFile];
  const { delimiter, quote } = dialect;
  const longest = Math.max(...files.map((file) => file.longest)) + 1024;
  return [
    `delim = ${quotedText(delimiter)}`,
    `quote = ${quotedText(quote)}`,
    `escape = ${quotedText(quote)}`,
    `skip = ${skip}`,
    `nullstr = [${nullText.map(quotedText).join(", ")}]`,
    "strict_mode = true",
    ...(decimalSeparator === undefined ? [] : [`decimal_separator = ${quotedText(decimalSeparator)}`]),
    // The limits of the engine by default are 2 MB for a row, and 32 MB for a buffer.
    ...(longest < 2_000_000
      ? []
      : [`max_line_size = ${longest}`, `buffer_size = ${Math.max(32_000_000, 2 * longest)}`]),
  ];
}

async function detect(connection: DuckDBConnection, file: CsvFile, csv: CsvOptions, sample = -1): Promise<DetectedCsv> {
  const sniff = async (allowQuotedNulls: boolean) => {
    const options = [
      quotedText(literal(file.path)),
      ...given([file], csv),
      `sample_size = ${sample}`,
      `allow_quoted_nulls = ${allowQuotedNulls}`,
      ...(csv.header === undefined ? [] : [`header = ${csv.header}`]),
    ];
    const query = `SELECT HasHeader, DateFormat, TimestampFormat, Columns FROM sniff_csv(${options.join(", ")})`;
    const unreadable = (cause: unknown): never => {
      throw new SourceError(
        `Columns that cannot be told apart: ${file.shown}; set --delimiter, --quote and --header, or --skip if the table begins at a later line`,
        { cause },
      );
    };
    const [row] = (await connection.runAndReadAll(query).catch(unreadable)).getRowsJson();
    const [header, dateFormat, timestampFormat, columns] = row as [boolean, string | null, string | null, unknown];
    const pairs = (columns as readonly { readonly name: string; readonly type: string }[]).map(
      ({ name, type }) => [name, type] as const,
    );
    const forms = {
      dateFormat: dateFormat ?? undefined,
      timestampFormat: timestampFormat ?? undefined,
      decimalSeparator: csv.decimalSeparator,
    };
    if (pairs.length !== file.fields) unreadable(undefined);
    return { header, columns: new Map(pairs), forms };
  };
  if (file.records === 0) throw new SourceError(`File without rows: ${file.shown}; remove it, or name another file`);
  const { header, columns, forms } = await sniff(true);
  const withEmptyTexts = new Set<string>();
  if (file.hasEmptyTexts) {
    const strict = (await sniff(false)).columns;
    for (const [name, type] of columns) if (strict.get(name) !== type) withEmptyTexts.add(name);
  }
  return { ...file, header, columns, withEmptyTexts, forms };
}

/** Returns a type for each column that holds the values of all files exactly. */
async function unifiedTypes(
  connection: DuckDBConnection,
  files: readonly DetectedCsv[],
  csv: CsvOptions,
  isSampled: boolean,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, { readonly name: string; readonly type: string }>();
  for (const file of files)
    for (const [name, type] of [
      ...file.columns,
      ...partitionsOf(file).map(([key, value]) => [key, typeOfText(value)] as const),
    ]) {
      const before = found.get(name.toLowerCase());
      found.set(name.toLowerCase(), { name: before?.name ?? name, type: unified(before?.type ?? type, type) });
    }
  const types = new Map([...found.values()].map(({ name, type }) => [name, type]));
  // A number that a DOUBLE of a sample would change fails its check.
  if (isSampled) return types;
  for (const [name, type] of types)
    if (type === "DOUBLE") types.set(name, await numberType(connection, textsOfColumn(files, csv, name)));
  return types;
}

/** Returns the columns that folders such as `year=2026` add, unless the file has them. */
function partitionsOf({ shown, columns }: DetectedCsv): readonly (readonly [name: string, value: string])[] {
  const names = new Set([...columns.keys()].map((name) => name.toLowerCase()));
  return [...shown.matchAll(/(?<=[/\\ ])([^/\\= ?]+)=([^/\\]+)(?=[/\\])/g)].flatMap(([, name = "", value = ""]) =>
    names.has(name.toLowerCase()) ? [] : [[name, value] as const],
  );
}

function typeOfText(text: string): string {
  if (/^(0|-?[1-9]\d{0,17})$/.test(text)) return "BIGINT";
  return /^\d{4}-\d\d-\d\d$/.test(text) ? "DATE" : "VARCHAR";
}

function unified(one: string, other: string): string {
  if (one === other) return one;
  const both = [one, other].sort().join();
  if (both === "BIGINT,DOUBLE") return "DOUBLE";
  if (both === "DATE,TIMESTAMP") return "TIMESTAMP";
  return "VARCHAR";
}

/** Returns the query of the texts of a column, as `x`. */
function textsOfColumn(files: readonly DetectedCsv[], csv: CsvOptions, name: string): string {
  const reads = files.flatMap((file) => {
    const own = [...file.columns.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    return own === undefined
      ? []
      : `SELECT ${quotedName(own)} AS x FROM ${readCsv([file], csv, textsOf(file.columns))}`;
  });
  const all = reads.join(" UNION ALL ");
  return csv.decimalSeparator === "," ? `SELECT replace(x, ',', '.') AS x FROM (${all})` : all;
}

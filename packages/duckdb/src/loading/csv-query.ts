import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import type { CsvOptions, FileOptions } from "../sources/origin.ts";
import { type ColumnType, columnTypes } from "./column-types.ts";
import { csvSettings, type DetectedCsv, detectCsv } from "./csv-detection.ts";
import { type CsvFile, type CsvRecords, copied, openCsv, readCsvFile, sampleRows } from "./csv-file.ts";
import { exactSelection, numberType, type ValueForms } from "./exact-value.ts";
import { headBytes } from "./file-bytes.ts";
import { type FilesQuery, type InexactValues, literal, type OriginFile } from "./files.ts";
import { partitionsOf } from "./partitions.ts";
import { type ValueForm, valueForm } from "./value-form.ts";

/** File whose query expects values of some columns in the usual form of their type, and does not check them. */
interface ExpectedCsv extends DetectedCsv {
  readonly valueForms: readonly (ValueForm | undefined)[];
}

/**
 * Returns the query that reads CSV files with everything given, so that the engine skips no lines and guesses no
 * delimiter, and an error tells of each row that it cannot read. The engine detects types of all rows in one thread, so
 * they are first detected from some rows, and checked while all rows are read: by the reader of this package, whose
 * thread is free, for values in the usual forms, and by SQL for others.
 */
export async function csvQuery(
  connection: DuckDBConnection,
  files: readonly OriginFile[],
  options: FileOptions,
  workDirectory: string,
): Promise<FilesQuery> {
  const csv = options.csv ?? {};
  const copyOf = (index: number): string => join(workDirectory, `file-${index}.csv`);
  const open: CsvFile[] = [];
  for (const [index, { path, shown }] of files.entries()) open.push(await openCsv(path, shown, csv, copyOf(index)));

  const sampled = async (read: readonly CsvFile[], samples?: readonly CsvSample[]): Promise<FilesQuery> => {
    const sample = samples ?? csv.sample ?? sampleRows;
    const { expected, rowsOf, ...query } = await typedQuery(connection, read, options, sample, true);
    const found: CsvRecords[] = [];
    const isChanged = (): boolean =>
      expected.some((file, index) => found[index]?.isMixed === true || (found[index]?.longest ?? 0) > file.longest);
    return {
      ...query,
      async check() {
        for (const file of expected) found.push(await readCsvFile(file, csv, file.valueForms));
        return isChanged() || found.some(({ otherForms }) => otherForms.size > 0) ? undefined : rowsOf(found);
      },
      async next() {
        const known: CsvFile[] = [];
        for (const [index, file] of read.entries()) {
          const { isMixed, emptyTexts, ...content } = found[index] as CsvRecords;
          const longest = Math.max(content.longest, file.longest);
          const whole = { ...file, longest, hasEmptyTexts: emptyTexts.size > 0 };
          known.push(isMixed ? await copied(whole, csv, copyOf(index)) : whole);
        }
        if (isChanged()) return sampled(known);
        // Types of the first rows and of those that have other values are usually right for all.
        if (samples === undefined && csv.sample === undefined) return sampled(known, await samplesOf(expected, found));
        const last = await typedQuery(connection, known, options, csv.sample, false);
        return { ...last, check: async () => rowsOf(found) };
      },
    };
  };
  async function samplesOf(files: readonly DetectedCsv[], contents: readonly CsvRecords[]): Promise<CsvSample[]> {
    const samples: CsvSample[] = [];
    for (const [index, { header }] of files.entries()) {
      const path = join(workDirectory, `sample-${index}.csv`);
      await writeFile(path, contents[index]?.sample ?? "");
      samples.push({ path, header });
    }
    return samples;
  }
  return sampled(open);
}

/** File with some rows of a CSV file. */
interface CsvSample {
  readonly path: string;
  readonly header: boolean;
}

/** Detects types from all rows, from the first ones, or from those of a sample. */
async function detected(
  connection: DuckDBConnection,
  file: CsvFile,
  csv: CsvOptions,
  sample: number | CsvSample | undefined,
): Promise<DetectedCsv> {
  if (typeof sample !== "object") return detectCsv(connection, file, csv, sample);
  const { path, skip } = file;
  const { header } = sample;
  const found = await detectCsv(connection, { ...file, path: sample.path, skip: 0 }, { ...csv, header });
  return { ...found, path, skip };
}

/** Returns the names of the columns of a file as the engine compares them. */
const keysOf = ({ columns }: DetectedCsv): readonly string[] => [...columns.keys()].map((name) => name.toLowerCase());

interface TypedQuery extends FilesQuery {
  readonly expected: readonly ExpectedCsv[];
  /** Returns the number of rows of the table. */
  readonly rowsOf: (found: readonly CsvRecords[]) => number;
}

/**
 * @param sample number of rows of each file from which types are detected, or these rows; undefined for all
 * @param hasForms true if the query may expect values in the usual forms of their types
 */
async function typedQuery(
  connection: DuckDBConnection,
  files: readonly CsvFile[],
  options: FileOptions,
  sample: number | readonly CsvSample[] | undefined,
  hasForms: boolean,
): Promise<TypedQuery> {
  const csv = options.csv ?? {};
  const typed: DetectedCsv[] = [];
  for (const [index, file] of files.entries())
    typed.push(await detected(connection, file, csv, typeof sample === "object" ? sample[index] : sample));
  const isSampled = sample !== undefined;
  const found = await unifiedTypes(connection, typed, csv, isSampled);
  const types = new Map(
    [...(await columnTypes(connection, found, options))].map(([name, type]) => [name.toLowerCase(), type]),
  );
  const expected = hasForms ? await withUsualForms(typed, csv, types) : [];
  const usual = new Set(
    expected.flatMap((file) => keysOf(file).filter((_, column) => file.valueForms[column] !== undefined)),
  );
  // With a format of dates, the engine reads "infinity" as the year 1900.
  const hasFormat = (type: string, { dateFormat, timestampFormat }: ValueForms): boolean =>
    (type === "DATE" && dateFormat !== undefined) || (type === "TIMESTAMP" && timestampFormat !== undefined);
  const isChecked: ValueChecks["isChecked"] = (name, type, forms) =>
    isSampled ? !usual.has(name.toLowerCase()) : hasFormat(type, forms);
  const alike = new Map<string, DetectedCsv[]>();
  for (const file of typed) {
    const { dialect, header, columns, skip, forms, withEmptyTexts } = file;
    const facts = [
      partitionsOf(file.shown, columns.keys()),
      dialect,
      header,
      [...columns.keys()],
      skip,
      forms,
      [...withEmptyTexts],
    ];
    const key = JSON.stringify(facts);
    alike.set(key, [...(alike.get(key) ?? []), file]);
  }
  const groups = [...alike.values()].map((group) => selectOf(group, csv, types, { isSampled, isChecked }));
  const total = (count: (file: DetectedCsv) => number): number => typed.reduce((sum, file) => sum + count(file), 0);
  const headers = total(({ header }) => (header ? 1 : 0));
  return {
    query: groups.map(({ query }) => query).join(" UNION ALL BY NAME "),
    padded: total(({ padded }) => padded),
    ignored: total(({ ignored }) => ignored),
    inexact: groups.flatMap(({ inexact }) => inexact),
    expected,
    rowsOf: (contents) => contents.reduce((sum, { records }) => sum + records, 0) - headers,
  };
}

/**
 * Adds the forms of columns. A column has one if the engine converts its values in this form exactly to the detected type,
 * and those of the first rows of each file have the form.
 */
async function withUsualForms(
  files: readonly DetectedCsv[],
  csv: CsvOptions,
  types: ReadonlyMap<string, ColumnType>,
): Promise<readonly ExpectedCsv[]> {
  const unusual = new Set<string>();
  const expected: ExpectedCsv[] = [];
  for (const file of files) {
    const names = keysOf(file);
    const valueForms = names.map((name) => {
      const column = types.get(name);
      return column === undefined || column.isGiven ? undefined : valueForm(column.type, file.forms);
    });
    expected.push({ ...file, valueForms });
    const { otherForms, emptyTexts } = await readCsvFile(file, csv, valueForms, headBytes);
    for (const column of [...otherForms, ...emptyTexts]) unusual.add(names[column] ?? "");
  }
  return expected.map((file) => {
    const names = keysOf(file);
    return {
      ...file,
      valueForms: file.valueForms.map((form, column) => (unusual.has(names[column] ?? "") ? undefined : form)),
    };
  });
}

const text: ColumnType = { type: "VARCHAR", isGiven: false };

interface ValueChecks {
  readonly isSampled: boolean;
  /** Returns true for a column whose values the query compares with their texts. */
  readonly isChecked: (name: string, type: string, forms: ValueForms) => boolean;
}

function selectOf(
  group: readonly DetectedCsv[],
  csv: CsvOptions,
  types: ReadonlyMap<string, ColumnType>,
  { isSampled, isChecked }: ValueChecks,
): { readonly query: string; readonly inexact: readonly InexactValues[] } {
  const [{ columns, withEmptyTexts, forms, shown }] = group as [DetectedCsv];
  const read = new Map<string, string>();
  const selected: string[] = [];
  const inexact: InexactValues[] = [];
  for (const name of columns.keys()) {
    const { type, isGiven } = types.get(name.toLowerCase()) ?? text;
    const isConverted = isGiven || withEmptyTexts.has(name) || type === "HUGEINT" || isChecked(name, type, forms);
    if (type === "VARCHAR" || !isConverted) {
      read.set(name, type);
      selected.push(quotedName(name));
      continue;
    }
    read.set(name, "VARCHAR");
    const x = withEmptyTexts.has(name) ? `nullif(${quotedName(name)}, '')` : quotedName(name);
    const { selection, invalid } = exactSelection(x, name, type, forms, isSampled && !isGiven);
    selected.push(selection);
    for (const file of group)
      inexact.push({ name, type, text: x, invalid, shown: file.shown, from: readCsv([file], csv, textsOf(columns)) });
  }
  for (const { name, value } of partitionsOf(shown, columns.keys())) {
    const { type } = types.get(name.toLowerCase()) ?? text;
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
    ...csvSettings(files, csv),
  ].join(", ")})`;
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
      ...partitionsOf(file.shown, file.columns.keys()).map((each) => [each.name, each.type] as const),
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

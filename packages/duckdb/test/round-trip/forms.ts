import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import { rowKeys } from "@quern/query-run/columns";
import type { DownloadFormat } from "@quern/query-run/download-format";
import { tableFromIPC, type Vector } from "apache-arrow";
import { quotedName, quotedText } from "../../src/engine/quoting.ts";
import { arrowValue } from "./arrow-value.ts";
import { type Form, NumberText, type Plain, parseJson, plainOf } from "./plain.ts";
import type { Stored } from "./product.ts";
import type { RandomTable } from "./table.ts";

/** Rows of plain values. */
export type Rows = readonly (readonly Plain[])[];

/** Reads the engine's own answer to the statement of a table. */
export async function ownAnswer(
  engine: DuckDBConnection,
  { sql, read }: RandomTable,
  types: readonly DuckDBType[],
): Promise<Rows> {
  const aliases = types.map((_, index) => `c${index}`);
  const cast = aliases.map((alias, index) => `CAST(${alias} AS ${read[index]}) AS ${alias}`);
  const reader = await engine.runAndReadAll(`SELECT ${cast.join(", ")} FROM (\n${sql}\n) AS t(${aliases.join(", ")})`);
  return plainRows(types, reader.getRows(), "native");
}

const plainRows = (types: readonly DuckDBType[], rows: readonly (readonly unknown[])[], form: Form): Rows =>
  rows.map((row) => types.map((type, index) => plainOf(type, row[index], form)));

/** Reads the rows of a Parquet file with the engine. */
export async function parquetRows(engine: DuckDBConnection, path: string, types: readonly DuckDBType[]): Promise<Rows> {
  const reader = await engine.runAndReadAll(`FROM read_parquet(${quotedText(path)})`);
  return plainRows(types, reader.getRows(), "native");
}

/** Reads the pages and downloads of a result. */
export interface Reading {
  page(stored: Stored, format: "csv" | "json"): Promise<string>;
  download(stored: Stored, format: DownloadFormat): Promise<Buffer>;
}

export const downloadFormats: readonly DownloadFormat[] = ["parquet", "ndjson", "csv", "arrow"];

/**
 * Reads a stored result in its pages and downloads.
 * @param shown rows of its page, see {@link parseJson}
 * @param downloads formats of its downloads
 */
export async function forms(
  product: Reading,
  engine: DuckDBConnection,
  stored: Stored,
  folder: string,
  shown: readonly (readonly unknown[])[],
  downloads = downloadFormats,
): Promise<Readonly<Record<string, Rows>>> {
  const { types, columns } = stored;
  const keys = rowKeys(columns.map(({ name }) => name));
  const fromObjects = (objects: readonly Record<string, unknown>[]): Rows =>
    plainRows(
      types,
      objects.map((row) => keys.map((key) => row[key])),
      "json",
    );
  const read: Record<string, Rows> = {
    "CSV page": plainRows(types, shown, "json"),
    "JSON page": fromObjects(parseJson(await product.page(stored, "json"))),
  };
  for (const format of downloads) {
    const bytes = await product.download(stored, format);
    // The engine caches files by their paths.
    const path = join(folder, `read-${randomUUID()}.${format}`);
    await writeFile(path, bytes);
    if (format === "ndjson") read.NDJSON = fromObjects(bytes.toString().split("\n").slice(0, -1).map(parseJson));
    else if (format === "csv") read.CSV = await csvRows(engine, path, stored);
    else if (format === "parquet") read.Parquet = await parquetRows(engine, path, types);
    else read.Arrow = arrowRows(bytes, types);
    await rm(path);
  }
  return read;
}

function arrowRows(bytes: Uint8Array, types: readonly DuckDBType[]): Rows {
  const table = tableFromIPC(bytes);
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    types.map((_type, column) => arrowValue(table.getChildAt(column) as Vector, row)),
  );
  return plainRows(types, rows, "native");
}

/** Reads a CSV file with the engine, as texts. */
async function csvRows(engine: DuckDBConnection, path: string, { types, columns }: Stored): Promise<Rows> {
  const named = columns.map(({ name }) => `${quotedText(name)}: 'VARCHAR'`);
  const options = `auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false`;
  const reader = await engine.runAndReadAll(
    `SELECT ${columns.map(({ name }) => quotedName(name)).join(", ")}
     FROM read_csv(${quotedText(path)}, ${options}, new_line = '\\n', columns = {${named.join(", ")}})`,
  );
  return reader
    .getRows()
    .map((row) => row.map((text, index) => plainOfText(types[index] as DuckDBType, text as string | null)));
}

export const nestedTypes: ReadonlySet<Id> = new Set([Id.LIST, Id.ARRAY, Id.STRUCT, Id.MAP, Id.UNION]);

/** Returns the plain value of a text of CSV, which has no quotes around a JSON string. */
function plainOfText(type: DuckDBType, text: string | null): Plain {
  if (text === null) return null;
  const isJson = type.alias === "JSON" || String(type) === "VARIANT";
  if (!isJson && !nestedTypes.has(type.typeId)) return plainOf(type, text, "json");
  return plainOf(type, parsedOr(text), "json");
}

function parsedOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Returns true for equal plain values. A text of CSV can be that of another JSON value: `null` of the text null. */
export function isEqual(form: string, type: DuckDBType, actual: Plain | undefined, expected: Plain): boolean {
  if (actual === expected || JSON.stringify(actual) === JSON.stringify(expected)) return true;
  if (form !== "CSV" || typeof expected !== "string" || !expected.startsWith('"')) return false;
  if (type.alias !== "JSON" && String(type) !== "VARIANT") return false;
  const bare = String(JSON.parse(expected));
  const read = parsedOr(bare);
  const plain = plainOf(type, read instanceof NumberText ? read : read, "json");
  return JSON.stringify(actual) === JSON.stringify(plain);
}

import { rm } from "node:fs/promises";
import {
  type DuckDBConnection,
  type DuckDBListType,
  type DuckDBType,
  DuckDBTypeId as Id,
  VARCHAR,
} from "@duckdb/node-api";
import { engineTypeName } from "../../src/engine/column-type.ts";
import { partBytes } from "../../src/writer/part-bytes.ts";
import type { Piece } from "../../src/writer/rows-file.ts";
import { nestedTypes, parquetRows, type Rows } from "./forms.ts";
import { NumberText } from "./plain.ts";
import type { Product, Stored } from "./product.ts";

/** Rows of the columns at `indexes`, read from the Parquet file that the service has written. */
interface Written {
  readonly form: string;
  readonly indexes: readonly number[];
  readonly rows: Rows;
}

/** Types that adapters store as text or as JSON. */
const never: ReadonlySet<Id> = new Set([...nestedTypes, Id.VARIANT, Id.GEOMETRY]);

/** Encodings of rows of other engines. */
export const encodings = ["csv", "lines", "positional-arrays", "arrays"] as const;

/**
 * Sends the rows of a page as those of another engine, and reads what the service stores.
 * @param isLong true to let the last value of CSV be text of 9 MB
 */
export async function writtenRows(
  product: Product,
  engine: DuckDBConnection,
  { types, columns }: Stored,
  shown: readonly (readonly unknown[])[],
  encoding: (typeof encodings)[number],
  isLong: boolean,
): Promise<Written | undefined> {
  // The engine writes the numbers of JSON in rows of JSON anew, with the digits of a double.
  const isAnew = (type: DuckDBType): boolean => type.alias === "JSON" && /^(lines|arrays)$/.test(encoding);
  /** PostgreSQL sends an array as a list of JSON values. */
  const isNumbers = (type: DuckDBType): boolean =>
    encoding === "csv" && type.typeId === Id.LIST && (type as DuckDBListType).valueType.typeId === Id.DECIMAL;
  const isSent = (type: DuckDBType): boolean => isNumbers(type) || !(never.has(type.typeId) || isAnew(type));
  const indexes = types.flatMap((type, index) => (isSent(type) ? [index] : []));
  if (indexes.length > 100 || (indexes.length === 0 && !isLong)) return undefined;
  const names = indexes.map((index) => columns[index]?.name ?? "");
  const storedTypeOf = (type: DuckDBType): string => (isNumbers(type) ? "JSON[]" : engineTypeName(type));
  const sent = names.map((name, at) => ({ name, engineType: "its own", storedType: storedTypeOf(typeAt(at)) }));
  function typeAt(at: number): DuckDBType {
    return types[indexes[at] ?? 0] as DuckDBType;
  }
  const rows = shown.map((row) => of(indexes, row));
  const json = rows.map((row) => JSON.stringify(row.map((value, at) => jsonValue(typeAt(at), value))));
  const mark = (row: number): string[] => (isLong ? [`\uFEFF${row}`] : []);
  const long = (row: number): string[] => (isLong ? [row === rows.length - 1 ? "x".repeat(9_000_000) : "a"] : []);
  const csv = rows.map((row, index) =>
    [...mark(index), ...row.map((value, at) => csvCell(typeAt(at), value)), ...long(index)].join(","),
  );
  const text = { name: "text", engineType: "text", storedType: "VARCHAR" };
  const columnsSent = isLong ? [text, ...sent, text] : sent;
  const pieces =
    encoding === "csv"
      ? await csvPieces(csv.map((line) => `${line}\n`).join(""))
      : [encoding === "lines" ? `${json.join("\n")}\n` : `[${json.join(",")}]`];
  const { path } = await product.write(encoding, columnsSent, pieces);
  const own = of(indexes, types);
  const read = await parquetRows(engine, path, isLong ? [VARCHAR, ...own] : own);
  await rm(path);
  if (!isLong) return { form: encoding, indexes, rows: read };
  // Without its mark, a row has no values that are equal to those of the engine.
  return {
    form: encoding,
    indexes,
    rows: read.flatMap(([first, ...values], row) => (first === mark(row)[0] ? [values] : [])),
  };
}

const of = <T>(indexes: readonly number[], items: readonly T[]): readonly T[] =>
  indexes.map((index) => items[index] as T);

async function csvPieces(text: string): Promise<readonly Piece[]> {
  async function* part() {
    yield Buffer.from(text);
  }
  async function* parts() {
    yield part();
  }
  const pieces: Piece[] = [];
  for await (const piece of partBytes({ form: "encoded", encoding: "csv", columns: [], parts: parts() }))
    pieces.push(piece);
  return pieces;
}

/** Returns a value as adapters send it: decimals and JSON as text. */
function jsonValue(type: DuckDBType, value: unknown): unknown {
  if (type.alias === "JSON") return value === null ? null : JSON.stringify(value);
  return type.typeId === Id.DECIMAL && value !== null ? String(value) : value;
}

/** Returns a value as PostgreSQL's COPY writes it: NULL as nothing, and an empty text as quotes. */
function csvCell(type: DuckDBType, value: unknown): string {
  if (value === null) return "";
  if (type.typeId === Id.LIST && Array.isArray(value))
    return csvCell(VARCHAR, JSON.stringify(value.map((item) => item && String(item))));
  const isText = typeof value === "string" && type.alias !== "JSON";
  const text = isText ? value : value instanceof NumberText ? value.text : JSON.stringify(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

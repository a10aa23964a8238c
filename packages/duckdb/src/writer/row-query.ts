import { join } from "node:path";
import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { engineTypeName, isJson, storedCell, type WideIntegers } from "../engine/column-type.ts";
import { quotedText } from "../engine/quoting.ts";
import { ownDirectory } from "../processes/child-directory.ts";
import { resultFormat } from "../results/result-files.ts";
import { type RowEncoding, resultFile, rowsFile } from "./task.ts";

/** Largest JSON row, and largest JSON array of rows, in bytes. */
const maxObjectBytes = 67_108_864;

/**
 * Returns the statement that stores rows as Parquet.
 * @param maxRows Number of rows after which the statement stops.
 */
export function copyText(
  encoding: RowEncoding,
  types: readonly DuckDBType[],
  wideIntegers: WideIntegers,
  maxRows: number,
): string {
  const stored = types.map((type, index) => `${storedCell(type, `c${index}`, wideIntegers)} AS c${index}`);
  const limit = Number.isFinite(maxRows) ? ` LIMIT ${maxRows}` : "";
  return `COPY (SELECT ${stored.join(", ")} FROM (${typedRows(encoding, types)})${limit})
    TO '${join(ownDirectory, resultFile)}' (${resultFormat})`;
}

function typedRows(encoding: RowEncoding, types: readonly DuckDBType[]): string {
  const cells = types.map((type, index) =>
    encoding === "csv"
      ? fromText(type, `t${index}`, `CAST(t${index} AS JSON)`)
      : fromText(type, `j ->> ${index}`, `nullif(j -> ${index}, 'null'::JSON)`),
  );
  const named = cells.map((cell, index) => `${cell} AS c${index}`);
  return `SELECT ${named.join(", ")} FROM (${encoding === "csv" ? csvRows(types.length) : jsonRows(encoding, types.length)})`;
}

function csvRows(count: number): string {
  const columns = Array.from({ length: count }, (_, index) => `t${index}: 'VARCHAR'`);
  const options = ["auto_detect = false", "header = false", "strict_mode = true", "nullstr = ''"];
  const signs = ["delim = ','", `quote = '"'`, `escape = '"'`, "allow_quoted_nulls = false"];
  return `FROM read_csv('${join(ownDirectory, rowsFile)}', ${[...options, ...signs].join(", ")}, columns = {${columns.join(", ")}})`;
}

function jsonRows(encoding: "lines" | "arrays", count: number): string {
  const format = encoding === "lines" ? "newline_delimited" : "unstructured";
  const values = `read_json('${join(ownDirectory, rowsFile)}', format = '${format}', records = false, columns = {v: 'JSON'},
    maximum_object_size = ${maxObjectBytes})`;
  const rows =
    encoding === "lines" ? `SELECT v AS j FROM ${values}` : `SELECT unnest(CAST(v AS JSON[])) AS j FROM ${values}`;
  // Without the check, missing values of a short row would be null.
  const message = quotedText(`a row does not have ${count} values: `);
  return `SELECT CASE WHEN json_array_length(j) = ${count} THEN j ELSE error(${message} || left(j, 100)) END AS j FROM (${rows})`;
}

/** Returns SQL that converts a value to its type: from its text, or from its JSON if the type is nested. */
function fromText(type: DuckDBType, text: string, json: string): string {
  if (isJson(type)) return json;
  switch (type.typeId) {
    case Id.BLOB:
      return `from_base64(${text})`;
    case Id.LIST:
    case Id.ARRAY:
    case Id.STRUCT:
    case Id.MAP:
      return `CAST(${json} AS ${engineTypeName(type)})`;
    case Id.UNION:
    case Id.VARIANT:
    case Id.GEOMETRY:
    case Id.SQLNULL:
      throw new StatementError({
        name: "UnsupportedType",
        message: `Unsupported column type: ${engineTypeName(type)}; cast the column to JSON or VARCHAR.`,
        data: { category: "DATA_SOURCE", retryable: false },
      });
    default:
      return `CAST(${text} AS ${engineTypeName(type)})`;
  }
}

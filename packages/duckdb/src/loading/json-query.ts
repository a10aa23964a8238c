import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type FileOptions, SourceError } from "../sources/origin.ts";
import { columnTypes } from "./column-types.ts";
import { exactSelection, numberType } from "./exact-value.ts";
import { type FilesQuery, type InexactValues, inexactMarker, literal, type OriginFile } from "./files.ts";

/** Returns the query that reads JSON files. Every row is read to detect the types. */
export async function jsonQuery(
  connection: DuckDBConnection,
  files: readonly OriginFile[],
  options: FileOptions,
): Promise<FilesQuery> {
  // Objects with many or rare keys are objects, not maps of one type.
  const detection = "sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0";
  const detected = `SELECT * FROM ${readJson("json", files, detection)}`;
  const described = (await connection.runAndReadAll(`DESCRIBE ${detected}`)).getRows();
  const found = new Map(described.map(([name, type]) => [String(name), String(type)]));
  const texts = (name: string): string =>
    `SELECT ${quotedName(name)}->>'$' AS x FROM ${readJson("json", files, `columns = {${quotedText(name)}: 'JSON'}`)}`;
  for (const [name, type] of found) if (type === "DOUBLE") found.set(name, await numberType(connection, texts(name)));
  const types = await columnTypes(connection, found, options);
  if (options.allText === true || options.types !== undefined) await refuseLongNumbers(connection, files);
  const inexact: InexactValues[] = [];
  const columns: string[] = [];
  const selected: string[] = [];
  for (const [name, { type, isGiven }] of types) {
    const isConverted = isGiven && type !== "VARCHAR" && type !== "JSON";
    columns.push(`${quotedText(name)}: ${quotedText(isConverted ? "JSON" : type)}`);
    if (!isConverted) {
      selected.push(quotedName(name));
      continue;
    }
    const text = `(${quotedName(name)}->>'$')`;
    const { selection, invalid } = isNested(type) ? nestedSelection(name, type) : exactSelection(text, name, type, {});
    selected.push(selection);
    for (const file of files) {
      const from = readJson("json", [file], `columns = {${quotedText(name)}: 'JSON'}`);
      inexact.push({ name, type, text, invalid, shown: file.shown, from });
    }
  }
  const query = `SELECT ${selected.join(", ")} FROM ${readJson("json", files, `columns = {${columns.join(", ")}}`)}`;
  return { query, padded: 0, ignored: 0, inexact };
}

function isNested(type: string): boolean {
  return /^(STRUCT|MAP)|\]$/.test(type);
}

/** Returns the SQL of `exactSelection` for lists and objects, which the engine converts with rounded numbers. */
function nestedSelection(name: string, type: string): ReturnType<typeof exactSelection> {
  const json = quotedName(name);
  const value = `TRY_CAST(${json} AS ${type})`;
  const wide = type.replaceAll(
    /\b(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DECIMAL\(\d+,\d+\))(?![^"\]]*")/g,
    "DOUBLE",
  );
  const isValid = `(${value} IS NOT NULL AND ${value}::${wide} IS NOT DISTINCT FROM TRY_CAST(${json} AS ${wide}))`;
  return {
    selection: `CASE WHEN ${json}->>'$' IS NULL OR ${isValid} THEN ${value} ELSE error('${inexactMarker}') END AS ${json}`,
    invalid: `${json}->>'$' IS NOT NULL AND ${isValid} IS NOT TRUE`,
  };
}

function readJson(what: "json" | "json_objects", files: readonly OriginFile[], options: string): string {
  const list = files.map(({ path }) => quotedText(literal(path))).join(", ");
  return `read_${what}([${list}]${what === "json" ? ", union_by_name = true" : ""}${options && `, ${options}`})`;
}

/** Refuses decimals of which the engine's reader of JSON keeps only the first 17 digits. @throws {SourceError} */
async function refuseLongNumbers(connection: DuckDBConnection, files: readonly OriginFile[]): Promise<void> {
  for (const file of files) {
    const number = String.raw`[:\[,]\s*-?0*([0-9]*\.[0-9]+)`;
    const query = `SELECT n FROM (SELECT unnest(regexp_extract_all(json, ${quotedText(number)}, 1)) AS n
      FROM ${readJson("json_objects", [file], "")}) WHERE length(trim(replace(n, '.', ''), '0')) > 17 LIMIT 1`;
    const [row] = (await connection.runAndReadAll(query)).getRowsJson();
    if (row !== undefined)
      throw new SourceError(
        `Number of more than 17 digits: ${row[0]} in ${file.shown}; write it as a text, in double quotes, to keep all digits`,
      );
  }
}

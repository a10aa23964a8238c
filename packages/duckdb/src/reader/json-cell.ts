import {
  type DuckDBArrayType,
  type DuckDBDecimalType,
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import { isJson } from "../engine/column-type.ts";
import { quotedText } from "../engine/quoting.ts";

/** Returns SQL for a text in quotes, NULL for NULL. The text must need no escapes. */
const inQuotes = (text: string): string => `'"' || ${text} || '"'`;

/** Returns SQL for a rare case. The engine plans the body of a lambda in less time, but evaluates it slowly. */
const rarely = (value: string, body: (value: string) => string): string =>
  `list_transform([${value}], lambda v: ${body("v")})[1]`;

const hasPlainYear = (value: string): string => `${value} >= '0001-01-01' AND ${value} < '10000-01-01'`;

/**
 * Returns SQL for a day whose year is not from 1 to 9999. Years without four digits have the expanded form of ISO 8601.
 * NULL for infinity.
 */
const farDay = (value: string): string => `format(
  CASE WHEN year(${value}) = 0 THEN '{:04d}-{:02d}-{:02d}' ELSE '{:+07d}-{:02d}-{:02d}' END,
  year(${value}), month(${value}), day(${value}))`;

/**
 * Returns SQL for the time of day. For values that Parquet stores once, the engine evaluates a cast also where the CASE
 * around it has excluded infinity, and fails.
 */
const timeOf = (value: string): string => `CAST(CASE WHEN isfinite(${value}) THEN ${value} END AS TIME)`;

/** Returns SQL for the digits that a fraction of a second lacks, and the end of a time. */
const timeEnd = (time: string): string => `CASE strlen(${time}) WHEN 8 THEN '.000Z"' WHEN 10 THEN '00Z"'
  WHEN 11 THEN '0Z"' ELSE 'Z"' END`;

/** Returns SQL for the significant digits of a number. */
const digits = (text: string): string => `trim(translate(${text}, '-.', ''), '0')`;

/**
 * Macros of the expressions that {@link jsonCell} returns. They are short, because the engine plans a statement
 * for each page: a page of 1,000 rows takes as long to plan as to write.
 */
export const jsonMacros = [
  `CREATE OR REPLACE MACRO quern_json_integer(n) AS CASE WHEN n BETWEEN -9007199254740991 AND 9007199254740991
     THEN CAST(n AS VARCHAR) ELSE ${inQuotes("CAST(n AS VARCHAR)")} END`,
  // The text of an integer that may be stored as DECIMAL or as text.
  `CREATE OR REPLACE MACRO quern_json_wide_integer(t) AS CASE WHEN strlen(t) <= 15
     OR TRY_CAST(t AS BIGINT) BETWEEN -9007199254740991 AND 9007199254740991 THEN t ELSE ${inQuotes("t")} END`,
  // The text of a decimal with a fraction. It is a number if it has up to 15 digits, or if its double has the same
  // digits and JavaScript writes it without an exponent.
  `CREATE OR REPLACE MACRO quern_json_decimal(t) AS CASE WHEN strlen(ltrim(translate(t, '-.', ''), '0')) <= 15
     OR (abs(CAST(t AS DOUBLE)) >= 1e-6 AND abs(CAST(t AS DOUBLE)) < 1e21
       AND ${digits("t")} = ${digits("split_part(CAST(CAST(t AS DOUBLE) AS VARCHAR), 'e', 1)")})
     THEN t ELSE ${inQuotes("t")} END`,
  `CREATE OR REPLACE MACRO quern_json_double(n) AS CASE
     WHEN n BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN CAST(n AS VARCHAR)
     WHEN isnan(n) THEN '"NaN"' WHEN n > 0 THEN '"Infinity"' WHEN n < 0 THEN '"-Infinity"' END`,
  `CREATE OR REPLACE MACRO quern_json_date(d) AS CASE WHEN ${hasPlainYear("d")} THEN concat('"', d, '"')
     WHEN d IS NOT NULL THEN ${rarely("d", (d) => inQuotes(`coalesce(${farDay(d)}, CAST(${d} AS VARCHAR))`))} END`,
  // The engine omits trailing zeros below the second.
  `CREATE OR REPLACE MACRO quern_json_timestamp(t) AS CASE
     WHEN ${hasPlainYear("t")} THEN concat('"', CAST(t AS DATE), 'T', ${timeOf("t")}, ${timeEnd(`CAST(${timeOf("t")} AS VARCHAR)`)})
     WHEN isfinite(t) THEN ${rarely("t", (t) => `concat('"', ${farDay(t)}, 'T', ${timeOf(t)}, ${timeEnd(`CAST(${timeOf(t)} AS VARCHAR)`)})`)}
     ELSE ${inQuotes("CAST(t AS VARCHAR)")} END`,
  // The text of a TIMESTAMP_NS, whose years have four digits.
  `CREATE OR REPLACE MACRO quern_json_nanoseconds(t) AS CASE WHEN ends_with(t, 'infinity') THEN ${inQuotes("t")}
     WHEN t IS NOT NULL THEN concat('"', t[1:10], 'T', t[12:], ${timeEnd("t[12:]")}) END`,
];

/**
 * Returns SQL for the JSON text of a value, equal to that of `cellWriter` up to {@link lowerCaseEscapes}. NULL stays
 * NULL. Undefined if the engine cannot write the type exactly, because numbers inside JSON become strings depending on
 * their digits, or if the type is nested deeply.
 * @param type Type in the statement; the file may store the value in another form.
 * @param cell SQL of the stored value.
 */
export function jsonCell(type: DuckDBType, cell: string): string | undefined {
  return valueCell(type, cell, { depth: 0, storedJson: () => undefined });
}

/**
 * Returns SQL for the text of a value as pages show it: text without quotes, lists and objects as JSON. JSON values have
 * the text that is stored, with its spaces and all digits of its numbers.
 */
export function textCell(type: DuckDBType, cell: string): string {
  if (isStoredAsJson(type))
    return `CASE json_type(${cell}) WHEN 'VARCHAR' THEN ${cell} ->> '$' WHEN 'NULL' THEN NULL ELSE ${castToText(cell)} END`;
  const json = (): string | undefined => valueCell(type, cell, { depth: 0, storedJson: castToText });
  switch (type.typeId) {
    case Id.VARCHAR:
    case Id.ENUM:
    case Id.GEOMETRY:
      return castToText(cell);
    case Id.LIST:
    case Id.ARRAY:
    case Id.STRUCT:
    case Id.MAP:
      return json() ?? castToText(`to_json(${cell})`);
    default:
      return `trim(${json() ?? castToText(cell)}, '"')`;
  }
}

/** Returns true if results have the values of a type as JSON. */
export function isStoredAsJson(type: DuckDBType): boolean {
  return isJson(type) || type.typeId === Id.UNION || type.typeId === Id.VARIANT;
}

const castToText = (cell: string): string => `CAST(${cell} AS VARCHAR)`;

/** Context of a value in its column. */
interface CellContext {
  /** Number of the types around that of the value. */
  readonly depth: number;
  /** Returns SQL for the text of a value that is stored as JSON; undefined if there is none. */
  readonly storedJson: (cell: string) => string | undefined;
}

const within = ({ depth, storedJson }: CellContext): CellContext => ({ depth: depth + 1, storedJson });

/** Returns SQL for the JSON text of a value in an array, an object or a row, where NULL is `null`. */
export function orNull(json: string): string {
  return `coalesce(${json}, 'null')`;
}

/** Largest depth of nested types. The engine takes twice as long to plan each further level. */
const maxDepth = 5;

function valueCell(type: DuckDBType, cell: string, context: CellContext): string | undefined {
  if (context.depth > maxDepth) return undefined;
  if (isStoredAsJson(type)) return context.storedJson(cell);
  const text = castToText(cell);
  switch (type.typeId) {
    case Id.BOOLEAN:
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
      return text;
    case Id.BIGINT:
    case Id.UBIGINT:
      return `quern_json_integer(${cell})`;
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
      return `quern_json_wide_integer(${text})`;
    case Id.DECIMAL:
      return decimalCell(type as DuckDBDecimalType, cell);
    case Id.DOUBLE:
    case Id.FLOAT:
      return `quern_json_double(${cell})`;
    case Id.DATE:
      return `quern_json_date(${cell})`;
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
      return `quern_json_timestamp(CAST(${cell} AS TIMESTAMP))`;
    case Id.TIMESTAMP_TZ:
      // The cast, which is slow, is for infinite times only. The time zone of the connection is UTC.
      return `quern_json_timestamp(coalesce(make_timestamp(epoch_us(${cell})), CAST(${cell} AS TIMESTAMP)))`;
    case Id.TIMESTAMP_NS:
      return `quern_json_nanoseconds(${text})`;
    case Id.BLOB:
      return inQuotes(`to_base64(${cell})`);
    case Id.UUID:
    case Id.TIME:
    case Id.TIME_NS:
    case Id.TIME_TZ:
    case Id.INTERVAL:
    case Id.BIT:
      return inQuotes(text);
    case Id.VARCHAR:
    case Id.ENUM:
    case Id.GEOMETRY:
      return `CAST(to_json(${text}) AS VARCHAR)`;
    case Id.LIST:
    case Id.ARRAY:
      return listCell((type as DuckDBListType | DuckDBArrayType).valueType, cell, context);
    case Id.STRUCT:
      return structCell(type as DuckDBStructType, cell, context);
    case Id.MAP:
      return mapCell(type as DuckDBMapType, cell, context);
    default:
      return undefined;
  }
}

/**
 * A double keeps all digits of a decimal of up to 15 digits. Wide decimals are written as narrow ones if their value
 * permits, because the engine is ten times as fast with them.
 */
function decimalCell({ width, scale }: DuckDBDecimalType, cell: string): string {
  // The engine writes no zero before the point if the type has no integer digits.
  const text = width === scale ? `replace(CAST(${cell} AS VARCHAR), '.', '0.')` : `CAST(${cell} AS VARCHAR)`;
  if (width <= 15) return text;
  if (scale === 0) return width <= 18 ? `quern_json_integer(${cell})` : `quern_json_wide_integer(${text})`;
  const limit = scale <= 15 ? `1${"0".repeat(15 - scale)}` : `0.${"0".repeat(scale - 16)}1`;
  const typed = (value: string): string => `CAST('${value}' AS DECIMAL(${width},${scale}))`;
  const narrow = width > 18 && scale <= 15 ? `CAST(CAST(${cell} AS DECIMAL(18,${scale})) AS VARCHAR)` : text;
  return `CASE WHEN ${cell} > ${typed(`-${limit}`)} AND ${cell} < ${typed(limit)} THEN ${narrow}
    WHEN ${cell} IS NOT NULL THEN ${rarely(text, (value) => `quern_json_decimal(${value})`)} END`;
}

function listCell(valueType: DuckDBType, cell: string, context: CellContext): string | undefined {
  const name = `x${context.depth}`;
  const item = valueCell(valueType, name, within(context));
  if (item === undefined) return undefined;
  return `'[' || array_to_string(list_transform(${cell}, lambda ${name}: ${orNull(item)}), ',') || ']'`;
}

function structCell(
  { entryNames, entryTypes }: DuckDBStructType,
  cell: string,
  context: CellContext,
): string | undefined {
  const members: string[] = [];
  for (const [index, type] of entryTypes.entries()) {
    const json = valueCell(type, `struct_extract_at(${cell}, ${index + 1})`, within(context));
    if (json === undefined) return undefined;
    const key = `${index === 0 ? "{" : ","}${JSON.stringify(entryNames[index])}:`;
    members.push(quotedText(key), orNull(json));
  }
  return `CASE WHEN ${cell} IS NOT NULL THEN concat(${members.join(", ")}, '}') END`;
}

function mapCell({ keyType, valueType }: DuckDBMapType, cell: string, context: CellContext): string | undefined {
  const entry = `x${context.depth}`;
  const key = keyCell(keyType, `${entry}.key`, within(context));
  const value = valueCell(valueType, `${entry}.value`, within(context));
  if (key === undefined || value === undefined) return undefined;
  const member = `${key} || ':' || ${orNull(value)}`;
  return `'{' || array_to_string(list_transform(map_entries(${cell}), lambda ${entry}: ${member}), ',') || '}'`;
}

/** Returns SQL for a key of an object: a JSON string, or the JSON text of another value as a JSON string. */
function keyCell(type: DuckDBType, cell: string, context: CellContext): string | undefined {
  const json = valueCell(type, cell, context);
  if (json === undefined) return undefined;
  return `CASE WHEN starts_with(${json}, '"') THEN ${json} ELSE CAST(to_json(${json}) AS VARCHAR) END`;
}

/**
 * Converts escapes such as `\u001F` to lower case, as JavaScript writes them. The engine writes them in upper case.
 * @param json JSON text that the engine has written.
 */
export function lowerCaseEscapes(json: string): string {
  if (!json.includes("\\u00")) return json;
  // An escaped backslash is a match of its own, because a `u` after it is a plain letter.
  return json.replaceAll(/\\(?:u00..|.)/gs, (match) => (match.length === 2 ? match : match.toLowerCase()));
}

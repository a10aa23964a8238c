import type { DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { comparedCell } from "../engine/column-type.ts";
import { engineList, engineValue } from "../engine/engine-value.ts";
import { quotedText } from "../engine/quoting.ts";
import { storedType, storedTypeName } from "../engine/stored-type.ts";
import { type ResultFile, resultFormat, resultRows } from "../results/result-files.ts";
import { isStoredAsJson, textCell } from "./json-cell.ts";
import { expressionOf, likeExpression } from "./like-pattern.ts";
import type { Condition, PageTask, Scalar, SortKey } from "./task.ts";

/** SQL and the values of its parameters. */
export interface Query {
  readonly text: string;
  readonly values: DuckDBValue[];
  readonly types: DuckDBType[];
}

/** Task of reading a page, with the number of the first row of each file. */
export interface LocatedTask extends Omit<PageTask, "paths"> {
  readonly files: readonly ResultFile[];
}

/** Rows of a result that meet conditions, and their order. */
type RowSelection = Pick<LocatedTask, "columns" | "conditions" | "files" | "sortKeys">;

type Present = Exclude<Scalar, null>;

/** Binds a value, or values of one JSON type as a list. Returns its parameter, such as `$1`. */
type Bind = (value: Present | readonly Present[]) => string;

/** Builds a query on the rows that meet the conditions. @param write returns it for a FROM clause */
export function viewQuery(task: RowSelection, write: (rows: string) => string): Query {
  return withValues((bind) => write(`(SELECT * FROM ${rowsOf(task)} WHERE ${condition(task, bind)})`));
}

/** Counts the rows that meet the conditions. */
export function countQuery(task: LocatedTask): Query {
  return withValues((bind) => `SELECT count(*) FROM ${rowsOf(task)} WHERE ${condition(task, bind)}`);
}

/**
 * Selects the rows of a page.
 * @param list SQL of the values to select, such as each column.
 * @param offset Number of rows before the page, after filters and in the order of the task.
 */
export function rowsQuery(task: LocatedTask, list: readonly string[], offset: number, rowCount: number): Query {
  return withValues((bind) => `SELECT ${list.join(", ")} FROM ${pageRows(task, bind, offset, rowCount)}`);
}

/**
 * Selects the number of rows of a page, and their texts joined by commas as bytes. The text of a page can have any size;
 * see `enginePageText`.
 */
export function textQuery(task: LocatedTask, rowText: string, offset: number, rowCount: number): Query {
  // Threads of the engine read row groups at the same time, so the text needs an order of its own.
  const text = `encode(string_agg(${rowText}, ',' ORDER BY ${order(task)}))`;
  return withValues((bind) => `SELECT count(*), ${text} FROM ${pageRows(task, bind, offset, rowCount)}`);
}

/**
 * Selects what {@link textQuery} does, and the sum of the weights of the rows. A row has no text if the sum of the weights
 * up to it exceeds `maxWeight`, which bounds the text.
 */
export function weighedTextQuery(
  task: LocatedTask,
  { text, weight, maxWeight }: { readonly text: string; readonly weight: string; readonly maxWeight: number },
  offset: number,
  rowCount: number,
): Query {
  return withValues((bind) => {
    const rows = pageRows(task, bind, offset, rowCount);
    // Without an order the engine adds the weights up while it reads, and keeps no rows for it.
    const weighed = `(SELECT *, sum(${weight}) OVER (ROWS UNBOUNDED PRECEDING) AS weight FROM ${rows})`;
    const texts = `string_agg(CASE WHEN weight <= ${maxWeight} THEN ${text} END, ',' ORDER BY ${order(task)})`;
    return `SELECT count(*), encode(${texts}), max(weight) FROM ${weighed}`;
  });
}

/** Selects the sum of a number over the rows of a page. */
export function totalQuery(task: LocatedTask, cell: string, offset: number, rowCount: number): Query {
  return withValues((bind) => `SELECT CAST(sum(${cell}) AS DOUBLE) FROM ${pageRows(task, bind, offset, rowCount)}`);
}

/**
 * Largest ratio of the engine's text of a value to its JSON. A byte of a BLOB has four characters (`\xFF`), in base64
 * 4/3.
 */
export const maxTextRatio = 3;

/**
 * Returns SQL for a FROM clause: a range of rows. Without conditions and order it is a range of row numbers, which reads
 * only its row groups. Expressions outside it are evaluated for the rows of the page only.
 */
function pageRows(task: LocatedTask, bind: Bind, offset: number, rowCount: number): string {
  const { conditions, sortKeys } = task;
  const rows = `SELECT * FROM ${rowsOf(task)}`;
  if (conditions.length === 0 && sortKeys.length === 0)
    return `(${rows} WHERE file_row_number >= ${offset} AND file_row_number < ${offset + rowCount})`;
  return `(${rows} WHERE ${condition(task, bind)} ORDER BY ${order(task)} LIMIT ${rowCount} OFFSET ${offset})`;
}

/** Writes the rows that meet the conditions, in the order of the task, to a file. */
export function sortedQuery(task: RowSelection, target: string): Query {
  const cells = task.columns.map((_, index) => `c${index}`);
  return withValues((bind) => {
    const rows = `SELECT ${cells.join(", ")}, file_row_number AS row_number FROM ${rowsOf(task)}`;
    const sorted = `${rows} WHERE ${condition(task, bind)} ORDER BY ${order(task)}`;
    return `COPY (${sorted}) TO ${quotedText(target)} (${resultFormat(task.columns.map(storedType))}, USE_TMP_FILE false)`;
  });
}

/** Returns the ORDER BY list. The row number makes the order total, so that pages do not overlap. */
function order({ columns, sortKeys }: RowSelection): string {
  return [...sortKeys.map((key) => orderBy(columns, key)), "file_row_number"].join(", ");
}

/** Builds a query whose values are parameters. */
function withValues(write: (bind: Bind) => string): Query {
  const values: DuckDBValue[] = [];
  const types: DuckDBType[] = [];
  const text = write((bound) => {
    const { value, type } = typeof bound === "object" ? engineList(bound) : engineValue(bound);
    types.push(type);
    return `$${values.push(value)}`;
  });
  return { text, values, types };
}

/** Returns SQL for the rows of the result. The paths are literals, because a parameter would be planned twice. */
function rowsOf({ files }: RowSelection): string {
  return resultRows(files, quotedText);
}

/** Returns SQL for the value of a column, in the type in which the engine compares and orders it. */
function cell(column: ResultColumn, index: number): string {
  return comparedCell(storedTypeName(column), `c${index}`);
}

/**
 * Returns SQL for the value of a column as a page shows it. A FLOAT is compared as 0.1 and not as 0.10000000149011612.
 * A JSON value is compared with numbers and booleans by its own type, and with text by its text.
 * @param compared JavaScript type of the value that it is compared with
 */
function shownCell(column: ResultColumn, index: number, compared: string): string {
  if (storedTypeName(column) === "FLOAT") return `CAST(CAST(c${index} AS VARCHAR) AS DOUBLE)`;
  if (!isStoredAsJson(storedType(column))) return cell(column, index);
  if (compared === "number")
    return `CASE WHEN json_type(c${index}) IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN TRY_CAST(c${index} AS DOUBLE) END`;
  if (compared === "boolean")
    return `CASE WHEN json_type(c${index}) = 'BOOLEAN' THEN TRY_CAST(c${index} AS BOOLEAN) END`;
  return shownText(column, index);
}

/** Returns SQL for the text of a value as a page shows it, with which `like` compares its pattern. */
function shownText(column: ResultColumn, index: number): string {
  return textCell(storedType(column), `c${index}`);
}

function condition({ conditions, columns }: Pick<RowSelection, "columns" | "conditions">, bind: Bind): string {
  const terms = conditions.map((each) => {
    if (!("or" in each)) return term(columns, each, bind);
    return `(${each.or.map((some) => `(${condition({ columns, conditions: some }, bind)})`).join(" OR ")})`;
  });
  return terms.length === 0 ? "true" : terms.join(" AND ");
}

/**
 * Types for which the engine looks for other bytes in a bloom filter of Parquet than it has written: those of the text of
 * a BLOB, and of one of the two zeros or of one NaN (duckdb#24994). It has no bloom filter for a range.
 */
const typesWithWrongBloomFilters: ReadonlySet<string> = new Set(["BLOB", "DOUBLE"]);

const comparisons = { eq: "=", neq: "<>", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function term(columns: readonly ResultColumn[], { index, operator, values: given }: Condition, bind: Bind): string {
  const column = columns[index];
  if (column === undefined) throw new Error(`Unknown column: ${index}`);
  const values =
    operator === "like" || operator === "ilike" ? given : given.map((value) => comparedNumber(column, value));
  const [value = null] = values;
  const left = shownCell(column, index, typeof value);
  switch (operator) {
    case "like":
      return like(shownText(column, index), String(value), bind);
    case "ilike":
      return `regexp_full_match(${shownText(column, index)}, ${bind(expressionOf(String(value)))}, 'si')`;
    case "in":
      return membership(column, index, values, bind);
    case "notIn":
      return `NOT (${membership(column, index, values, bind)})`;
    default: {
      if (value === null) return nullTest(operator, left);
      const isJson = isStoredAsJson(storedType(column));
      const right = isJson ? bind(value) : comparable(column, bind(value), typeof value);
      // A value of another type, and a text that the ENUM lacks, is NULL here, but it counts as not equal.
      if (operator === "neq" && (isJson || isEnum(storedTypeName(column))))
        return `(${shownText(column, index)} IS NOT NULL AND ${left} IS DISTINCT FROM ${right})`;
      if (operator === "eq" && typesWithWrongBloomFilters.has(storedTypeName(column)))
        return `${left} BETWEEN ${right} AND ${right}`;
      return `${left} ${comparisons[operator]} ${right}`;
    }
  }
}

/** Returns the condition of `like`. A bound pattern is prepared once and not for each row, like a literal. */
function like(text: string, pattern: string, bind: Bind): string {
  const expression = likeExpression(pattern);
  return expression === undefined
    ? `${text} LIKE ${bind(pattern)}`
    : `regexp_full_match(${text}, ${bind(expression)}, 's')`;
}

function nullTest(operator: keyof typeof comparisons, left: string): string {
  if (operator === "eq") return `${left} IS NULL`;
  return operator === "neq" ? `${left} IS NOT NULL` : "false";
}

/**
 * Returns the condition of `in`. Values are bound as lists and tested with EXISTS, which is fast for thousands of
 * values. The condition is never NULL, so that NOT inverts it.
 */
function membership(column: ResultColumn, index: number, values: readonly Scalar[], bind: Bind): string {
  const terms = (["string", "number", "boolean"] as const).flatMap((type) => {
    const ofType = values.filter((value): value is Present => typeof value === type);
    if (ofType.length === 0) return [];
    const wanted = comparable(column, "wanted.value", type);
    return [
      `EXISTS (SELECT 1 FROM unnest(${bind(ofType)}) AS wanted(value) WHERE ${wanted} = ${shownCell(column, index, type)})`,
    ];
  });
  if (values.includes(null)) terms.push(`${shownCell(column, index, "object")} IS NULL`);
  return terms.length === 0 ? "false" : `(${terms.join(" OR ")})`;
}

/** Returns SQL that converts a text to the type of the column. Filters send integers beyond 2^53 - 1 as text. */
function comparable(column: ResultColumn, value: string, type: string): string {
  if (type !== "string") return value;
  const { kind } = column;
  const stored = storedTypeName(column);
  if (stored === "BLOB") return `from_base64(${value})`;
  if (stored === "FLOAT") return `CAST(${value} AS DOUBLE)`;
  // A text that the ENUM lacks is not an error; it equals no value.
  if (isEnum(stored)) return `TRY_CAST(${value} AS ${stored})`;
  // The engine does not accept the sign of expanded years.
  if (kind === "date") return `CAST(ltrim(${value}, '+') AS ${stored})`;
  const exact = exactType(stored);
  if (exact !== undefined) return `CAST(${value} AS ${exact})`;
  const compared = comparedCell(stored, value);
  return compared === value && (kind === "number" || kind === "boolean") ? `CAST(${value} AS ${stored})` : compared;
}

function isEnum(stored: string): boolean {
  return stored.startsWith("ENUM(") && stored.endsWith(")");
}

const integerDigits: Readonly<Record<string, number>> = {
  TINYINT: 3,
  SMALLINT: 5,
  INTEGER: 10,
  BIGINT: 19,
  UTINYINT: 3,
  USMALLINT: 5,
  UINTEGER: 10,
  UBIGINT: 20,
};

/**
 * Returns the decimal type with the integer digits of a column and as many digits after the point as possible. A cast
 * to the type of the column itself would round the value of the filter.
 */
function exactType(stored: string): string | undefined {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(stored) ?? [];
  const digits = width === undefined ? integerDigits[stored] : Number(width) - Number(scale);
  return digits === undefined ? undefined : `DECIMAL(38,${38 - digits})`;
}

/**
 * Returns a number that is compared with a decimal as the text of its digits. The engine would convert the decimal to a
 * double, which is another one than that of the digits if it has more than 15.
 */
function comparedNumber(column: ResultColumn, value: Scalar): Scalar {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(storedTypeName(column)) ?? [];
  if (typeof value !== "number" || width === undefined) return value;
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const digits = fraction.length - Number(exponent);
  const integerDigits = Number(width) - Number(scale);
  const fits = digits >= 0 && digits <= 38 - integerDigits && whole !== "" && Math.abs(value) < 10 ** integerDigits;
  return fits ? value.toFixed(digits) : value;
}

function orderBy(columns: readonly ResultColumn[], { index, descending }: SortKey): string {
  const column = columns[index];
  if (column === undefined) throw new Error(`Unknown column: ${index}`);
  return `${cell(column, index)} ${descending ? "DESC" : "ASC"} NULLS LAST`;
}

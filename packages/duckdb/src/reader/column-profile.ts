import { type DuckDBConnection, type DuckDBType, type DuckDBValue, DuckDBTypeId as Id } from "@duckdb/node-api";
import { maxFrequentValues, maxTextLength } from "@quern/query-run/column-profile";
import { comparedCell } from "../engine/column-type.ts";
import { storedType, storedTypeName } from "../engine/stored-type.ts";
import { isStoredAsJson, jsonCell, textCell } from "./json-cell.ts";
import { type LocatedTask, viewQuery } from "./page-query.ts";
import { countedBins, edgesOf, edgeTexts, pointOf } from "./profile-bins.ts";

/** Task of a process that profiles a column, whose rows are in `files`. */
export interface LocatedProfile extends LocatedTask {
  /** Index of the column. */
  readonly column: number;
}

/**
 * Number of rows up to which the different values are counted exactly. Above it, the table of the values could exceed
 * the memory of the engine, which then takes minutes.
 */
const maxExactRows = 5_000_000;

/** Treatment of a column by its type. */
interface ColumnForm {
  /** SQL of the value that is compared and counted. */
  readonly value: string;
  /** Returns SQL of the JSON of a value. */
  readonly json: (value: string) => string;
  /** Numbers and times have a mean or bins; the values of ordered columns have a minimum and a maximum. */
  readonly kind: "integer" | "number" | "day" | "time" | "text" | "unordered";
}

function formOf(type: DuckDBType, stored: string, cell: string): ColumnForm {
  const text = (value: string): string => `CAST(to_json(left(${value}, ${maxTextLength})) AS VARCHAR)`;
  const unordered: ColumnForm = { value: textCell(type, cell), json: text, kind: "unordered" };
  if (isStoredAsJson(type)) return unordered;
  const form = (kind: ColumnForm["kind"]): ColumnForm => ({
    value: comparedCell(stored, cell),
    json: (value) => jsonCell(type, value) ?? "NULL",
    kind,
  });
  switch (type.typeId) {
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.BIGINT:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
    case Id.UBIGINT:
      return form("integer");
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
    case Id.DECIMAL:
    case Id.FLOAT:
    case Id.DOUBLE:
      return form("number");
    case Id.DATE:
      return form("day");
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_NS:
    case Id.TIMESTAMP_TZ:
      return form("time");
    case Id.BOOLEAN:
      return form("unordered");
    case Id.VARCHAR:
    case Id.ENUM:
    case Id.UUID:
    case Id.TIME:
      return { value: `CAST(${cell} AS VARCHAR)`, json: text, kind: "text" };
    default:
      return unordered;
  }
}

/**
 * Profiles a column of the rows that meet the conditions: its range, its most frequent values and a histogram. Returns
 * the members as JSON text without the outer braces, with values as pages show them.
 */
export async function columnProfile(connection: DuckDBConnection, task: LocatedProfile): Promise<string> {
  const column = task.columns[task.column];
  if (column === undefined) throw new Error(`Unknown column: ${task.column}`);
  const type = storedType(column);
  const { value, json, kind } = formOf(type, storedTypeName(column), `c${task.column}`);
  const read = async (write: (values: string) => string): Promise<readonly (readonly DuckDBValue[])[]> => {
    const query = viewQuery(task, (rows) => write(`(SELECT ${value} AS v FROM ${rows})`));
    return (await connection.runAndReadAll(query.text, query.values, query.types)).getRows();
  };
  const point = pointOf(type, kind);
  const isOrdered = kind !== "unordered";
  const [summary = []] = await read(
    (values) => `SELECT n, present, ${json("lowest")}, ${json("highest")}, quern_json_double(mean), first, last FROM (
      SELECT count(*) AS n, count(v) AS present, ${isOrdered ? "min(v)" : "any_value(v)"} AS lowest,
        ${isOrdered ? "max(v)" : "any_value(v)"} AS highest, min(p) AS first, max(p) AS last,
        CAST(${kind === "integer" || kind === "number" ? "avg(p)" : "NULL"} AS DOUBLE) AS mean
      FROM (SELECT v, ${point} AS p FROM ${values}))`,
  );
  const [rowCount, present, lowest, highest, mean, first = null, last = null] = summary;
  const isExact = task.rowCount <= maxExactRows;
  const frequent = await read(isExact ? exactValues(json, kind) : likelyValues(json, kind));
  const distinctCount = isExact
    ? (frequent[0]?.[3] ?? 0)
    : (await read((values) => `SELECT approx_count_distinct(v) FROM ${values}`))[0]?.[0];
  const edges = edgesOf(first, last, kind);
  const counts = edges.length === 0 ? [] : await countedBins(edges, point, read);
  const texts = edges.length === 0 ? [] : await edgeTexts(connection, [...edges, last ?? 0], kind);
  const bins = counts.map((count, at) => `{"from":${texts[at]},"to":${texts[at + 1]},"count":${count}}`);
  const values = frequent.map(([text, count, isCut]) => `{"value":${text},"count":${count},"isCut":${isCut}}`);
  return [
    `"rowCount":${rowCount},"nullCount":${Number(rowCount) - Number(present)}`,
    `"distinctCount":${distinctCount},"isDistinctExact":${isExact}`,
    `"min":${isOrdered ? (lowest ?? null) : null},"max":${isOrdered ? (highest ?? null) : null},"mean":${mean ?? null}`,
    `"frequentValues":[${values.join(",")}],"bins":[${bins.join(",")}]`,
  ].join(",");
}

type WriteQuery = (values: string) => string;

/** Selects JSON, number and `isCut` of the most frequent values. */
function frequentValues(groups: string, json: ColumnForm["json"], kind: ColumnForm["kind"], distinct: string): string {
  const isLong = kind === "text" || kind === "unordered" ? `length(CAST(k AS VARCHAR)) > ${maxTextLength}` : "false";
  return `SELECT ${json("k")}, n, ${isLong}, ${distinct} FROM
    (SELECT k, n FROM ${groups} ORDER BY n DESC, k LIMIT ${maxFrequentValues}) ORDER BY n DESC, k`;
}

/** Counts all values. */
function exactValues(json: ColumnForm["json"], kind: ColumnForm["kind"]): WriteQuery {
  return (values) => `WITH counted AS MATERIALIZED
    (SELECT v AS k, count(*) AS n FROM ${values} WHERE v IS NOT NULL GROUP BY v)
    ${frequentValues("counted", json, kind, "(SELECT count(*) FROM counted)")}`;
}

/** Counts the values that are probably the most frequent ones, which takes little memory. */
function likelyValues(json: ColumnForm["json"], kind: ColumnForm["kind"]): WriteQuery {
  return (values) => {
    const likely = `SELECT unnest(approx_top_k(v, ${maxFrequentValues})) FROM ${values}`;
    const groups = `(SELECT v AS k, count(*) AS n FROM ${values} WHERE v IN (${likely}) GROUP BY v)`;
    return frequentValues(groups, json, kind, "NULL");
  };
}

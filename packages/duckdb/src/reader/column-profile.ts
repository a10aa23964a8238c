import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { maxExactRows, maxFrequentValues, maxTextLength } from "@quern/query-run/column-profile";
import { storedType } from "../engine/stored-type.ts";
import { type ColumnForm, formOf } from "./column-form.ts";
import { type LocatedTask, viewQuery } from "./page-query.ts";
import { countedBins, edgesOf, edgeTexts, pointOf } from "./profile-bins.ts";

/** Task of a process that profiles a column, whose rows are in `files`. */
export interface LocatedProfile extends LocatedTask {
  /** Index of the column. */
  readonly column: number;
}

/**
 * Profiles a column of the rows that meet the conditions: its range, its most frequent values and a histogram. Returns
 * the members as JSON text without the outer braces, with values as pages show them.
 */
export async function columnProfile(connection: DuckDBConnection, task: LocatedProfile): Promise<string> {
  const column = task.columns[task.column];
  if (column === undefined) throw new Error(`Unknown column: ${task.column}`);
  const type = storedType(column);
  const { value, json, kind } = formOf(column, `c${task.column}`);
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

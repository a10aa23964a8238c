import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { maxExactRows } from "@quern/query-run/column-profile";
import type { ResultColumn } from "@quern/query-run/record";
import { summaryMembers } from "@quern/query-run/summary";
import { type Bounds, groupKey } from "./group-key.ts";
import { groupMeasure } from "./group-measure.ts";
import { type LocatedTask, viewQuery } from "./page-query.ts";
import type { SummaryTask } from "./task.ts";

/** Task of a process that summarizes rows, which are in `files`. */
type LocatedSummary = LocatedTask & Pick<SummaryTask, "groupBy" | "maxGroups" | "measures">;

/** Rows of an engine. */
type Rows = readonly (readonly DuckDBValue[])[];

/**
 * Groups the rows that meet the conditions, and calculates measures of each group. Returns the JSON text of the summary,
 * with values as pages show them.
 */
export async function resultSummary(connection: DuckDBConnection, task: LocatedSummary): Promise<string> {
  const { columns, groupBy, measures: measured, maxBytes, maxGroups } = task;
  const isExact = task.rowCount <= maxExactRows;
  const keys = groupBy.map((group, at) => groupKey(columnAt(columns, group.index), group, at));
  const measures = measured.map((measure, at) => {
    const column = measure.index === undefined ? undefined : columnAt(columns, measure.index);
    return groupMeasure(column, measure, `a${at}`, isExact);
  });
  const values = [
    ...keys.map(({ value }, at) => `${value} AS g${at}`),
    ...measures.map(({ value }, at) => `${value} AS a${at}`),
  ];
  const points = keys.map(({ point }, at) => `${point ?? "NULL"} AS p${at}`);
  const read = async (write: (rows: string) => string): Promise<Rows> => {
    const query = viewQuery(task, (rows) =>
      write(`(SELECT *, ${points.join(", ")} FROM (SELECT ${values.join(", ")} FROM ${rows}))`),
    );
    return (await connection.runAndReadAll(query.text, query.values, query.types)).getRows();
  };
  const hasBins = keys.some(({ point }) => point !== undefined);
  const [ends = []] = hasBins ? await read((rows) => `SELECT ${keys.map(boundsOf).join(", ")} FROM ${rows}`) : [];
  const written = await Promise.all(
    keys.map(({ written }, at) => written(connection, [ends[2 * at] ?? null, ends[2 * at + 1] ?? null] as Bounds)),
  );
  const guesses = written.map(({ guess }, at) => `${guess} AS j${at}`);
  const named = written.map(({ key }, at) => `${key} AS k${at}`);
  const names = written.map((_, at) => `k${at}`).join(", ");
  const keyed = (rows: string): string =>
    `(SELECT *, ${named.join(", ")} FROM (SELECT *, ${guesses.join(", ")} FROM ${rows}))`;
  if (!isExact) {
    const [[estimate] = []] = await read((rows) => `SELECT approx_count_distinct(hash(${names})) FROM ${keyed(rows)}`);
    if (Number(estimate) > maxExactRows) throw failure("TooManyGroups", `There are about ${estimate} groups.`);
  }
  const aggregates = measures.map(({ aggregate }, at) => `${aggregate} AS m${at}`);
  const order = written.map((_, at) => `k${at} NULLS LAST`).join(", ");
  const shown = [...written.map(({ json }, at) => json(`k${at}`)), ...measures.map(({ json }, at) => json(`m${at}`))];
  const groups = await exactSums(
    read(
      (rows) => `WITH grouped AS MATERIALIZED
        (SELECT ${names}, count(*) AS n, ${aggregates.join(", ")} FROM ${keyed(rows)} GROUP BY ${names})
        SELECT (SELECT count(*) FROM grouped), (SELECT sum(n) FROM grouped), ${shown.join(", ")}
        FROM (SELECT * FROM grouped ORDER BY ${order} LIMIT ${maxGroups}) ORDER BY ${order}`,
    ),
  );
  const [[groupCount, rowCount] = [0, 0]] = groups;
  let size = 0;
  const texts = groups.map(([, , ...cells]) => {
    const shownCells = cells.map((cell, at) => (cell === null ? "null" : (written[at]?.text(cell) ?? String(cell))));
    const text = `[${shownCells.join(",")}]`;
    size += text.length;
    if (size > maxBytes) throw failure("SummaryTooLarge", `The summary has more than ${maxBytes} bytes.`);
    return text;
  });
  const described = summaryMembers(
    columns,
    task,
    written.map(({ bins }) => bins),
    isExact,
  );
  const members = JSON.stringify({ rowCount: Number(rowCount), groupCount: Number(groupCount), ...described });
  return `${members.slice(0, -1)},"groups":[${texts.join(",")}]}`;
}

function columnAt(columns: readonly ResultColumn[], index: number): ResultColumn {
  const column = columns[index];
  if (column === undefined) throw new Error(`Unknown column: ${index}`);
  return column;
}

const boundsOf = (_: unknown, at: number): string => `min(p${at}), max(p${at})`;

/** Waits for groups. Only a sum of decimals can have more digits than its type. */
async function exactSums(groups: Promise<Rows>): Promise<Rows> {
  try {
    return await groups;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Out of Range Error")) throw error;
    throw failure("SumTooLarge", "A sum has more than 38 digits.");
  }
}

function failure(name: "SummaryTooLarge" | "SumTooLarge" | "TooManyGroups", message: string): StatementError {
  return new StatementError({ name, message, data: { category: "RESOURCE" } });
}

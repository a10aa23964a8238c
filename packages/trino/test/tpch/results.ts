import { type Client, describeQuery, getQueryRunDownload, query, wholeResultOf } from "@quern/client";

interface Result {
  readonly columnNames: readonly string[];
  /** Types of the service. */
  readonly columnTypes: readonly string[];
  /** Types of the engine, in a notation for both engines. */
  readonly engineTypes: readonly string[];
  /** Rows of all pages. */
  readonly rows: readonly object[];
  /** Rows of the download as NDJSON, in which 1.5 and 1.50 are different. */
  readonly lines: readonly string[];
}

/** Runs a statement on a source, and reads its result by pages and by a download. */
export async function readResult(client: Client, sql: string, dataSource: string): Promise<Result> {
  const engineTypes = await engineTypesOf(client, sql, dataSource);
  const result = await query(client, { sql, dataSource });
  const { columnNames, columnTypes, rows } = await wholeResultOf(result);
  return { columnNames, columnTypes, engineTypes, rows, lines: await linesOf(client, result.queryRunId) };
}

interface Table {
  readonly columns: readonly string[];
  readonly lines: readonly string[];
}

/** Reads a whole table, by a result of the last hour if there is one. */
export async function readTable(client: Client, table: string, dataSource: string): Promise<Table> {
  const sql = `SELECT * FROM ${table}`;
  const types = await engineTypesOf(client, sql, dataSource);
  const { queryRunId, columnNames } = await query(client, { sql, dataSource, maxAgeMinutes: 60 });
  return {
    columns: columnNames.map((name, index) => `${name} ${types[index]}`),
    lines: await linesOf(client, queryRunId),
  };
}

async function engineTypesOf(client: Client, sql: string, dataSource: string): Promise<readonly string[]> {
  const { columns } = await describeQuery(client, { sql, dataSource });
  return columns.map(({ engineType }) => commonType(engineType));
}

/** Trino limits the length of texts in their type, and DuckDB sums integers to wider ones than Trino. */
function commonType(engineType: string): string {
  return engineType
    .toUpperCase()
    .replace(/^ARRAY\((.*)\)$/, "$1[]")
    .replace(/^VARCHAR\(\d+\)/, "VARCHAR")
    .replace(/^HUGEINT$/, "BIGINT");
}

async function linesOf(client: Client, queryRunId: string): Promise<readonly string[]> {
  const { url } = await getQueryRunDownload(client, { queryRunId, format: "ndjson" });
  const response = await fetch(url);
  return (await response.text()).trimEnd().split("\n");
}

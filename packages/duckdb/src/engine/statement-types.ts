import type { DuckDBConnection, DuckDBType } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";

/** The types of a result's columns in its statement: those that Parquet cannot hold are stored as others. */
export async function statementTypes(
  connection: DuckDBConnection,
  columns: readonly ResultColumn[],
): Promise<readonly DuckDBType[]> {
  const nulls = columns.map(({ engineType }) => `CAST(NULL AS ${engineType})`);
  const statement = await connection.prepare(`SELECT ${nulls.join(", ")}`);
  return columns.map((_, index) => statement.columnType(index));
}

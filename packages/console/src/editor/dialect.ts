import type { Table } from "@quern/client";

export type Dialect = "duckdb" | "postgresql" | "trino" | "clickhouse";

/**
 * Returns the dialect of a data source, by how its engine writes the types of columns; that of DuckDB for a source
 * without tables.
 * @param dataSource undefined for the default, whose tables come first
 */
export function dialectOf(tables: readonly Table[], dataSource: string | undefined): Dialect {
  const source = dataSource ?? tables[0]?.dataSource;
  const types = tables.filter((table) => table.dataSource === source).flatMap(({ columns }) => columns);
  const has = (pattern: RegExp) => types.some(({ engineType }) => pattern.test(engineType));
  if (has(/^(?:Nullable|LowCardinality|Array)\(|^(?:U?Int\d+|String|Float\d+|DateTime)/)) return "clickhouse";
  if (!has(/^[a-z]/)) return "duckdb";
  return has(/^(?:varchar|double|row|map|array|timestamp\(\d+\)(?: with time zone)?|tinyint)(?:$|\()/)
    ? "trino"
    : "postgresql";
}

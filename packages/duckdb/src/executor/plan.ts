import { join } from "node:path";
import { listValue, VARCHAR } from "@duckdb/node-api";
import type { Parameters } from "@quern/query-run/record";
import { hidePaths, onEngine } from "./engine-error.ts";
import { runText } from "./run-text.ts";
import { type AdmittedStatement, type ColumnShape, engineValues, resultFile, toResultFile } from "./statement.ts";

/** Columns of every EXPLAIN. */
export const planColumns: readonly ColumnShape[] = ["explain_key", "explain_value"].map((name) => ({
  name,
  type: VARCHAR,
}));

/** Runs EXPLAIN, which cannot stand in a COPY, and writes its few rows. `paths` are hidden in the plan. */
export async function writePlan(
  { connection, sql, explain }: AdmittedStatement & Required<Pick<AdmittedStatement, "explain">>,
  parameters: Parameters | null,
  directory: string,
  paths: readonly string[],
): Promise<{ path: string; rowCount: number }> {
  const bound = engineValues(parameters ?? []);
  const rows = await onEngine(
    sql,
    async () => (await runText(connection, explain.sql, bound)).getRows(),
    explain.offset,
  );
  const columns = planColumns.map((_, index) => listValue(rows.map((row) => hidePaths(String(row[index]), paths))));
  const text = `COPY (SELECT unnest($1::VARCHAR[]) AS c0, unnest($2::VARCHAR[]) AS c1) ${toResultFile}`;
  const written = await onEngine(sql, () => connection.run(text, columns));
  return { path: join(directory, resultFile), rowCount: written.rowsChanged };
}

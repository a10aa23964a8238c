import { availableParallelism } from "node:os";
import { DuckDBInstance } from "@duckdb/node-api";

/** DuckDB's own `COPY`, with the settings that the service gives its engine: all processors up to four, 1 GB. */
export async function bareCopy(select: string, file: string, options: string): Promise<void> {
  const threads = String(Math.min(availableParallelism(), 4));
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1000MB", threads });
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${file}' (${options})`);
  connection.closeSync();
  instance.closeSync();
}

/** DuckDB's own `COPY` of a Parquet file to CSV. */
export function bareCsv(parquet: string, file: string): Promise<void> {
  return bareCopy(`SELECT * FROM read_parquet('${parquet}')`, file, "FORMAT csv, HEADER");
}

// In a process of its own it copies the file that its first argument names to the file of the second.
if (import.meta.main) {
  const [parquet = "", file = ""] = process.argv.slice(2);
  await bareCsv(parquet, file);
}

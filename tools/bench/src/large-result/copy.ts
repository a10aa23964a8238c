import { availableParallelism } from "node:os";
import { DuckDBInstance } from "@duckdb/node-api";

/** Runs DuckDB's `COPY` with the settings that the service gives its engine: all processors up to four, 1 GB. */
export async function bareCopy(select: string, file: string, options: string): Promise<void> {
  const threads = String(Math.min(availableParallelism(), 4));
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1000MB", threads });
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${file}' (${options})`);
  connection.closeSync();
  instance.closeSync();
}

/** Copies a Parquet file to CSV with DuckDB's `COPY`. */
export function bareCsv(parquet: string, file: string): Promise<void> {
  return bareCopy(`SELECT * FROM read_parquet('${parquet}')`, file, "FORMAT csv, HEADER");
}

// Run as a process: copies the file of the first argument to the file of the second.
if (import.meta.main) {
  const [parquet = "", file = ""] = process.argv.slice(2);
  await bareCsv(parquet, file);
}

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

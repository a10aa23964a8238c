/**
 * Opens a fresh locked DuckDB instance for each message, copies the statement's result to Parquet, and reads the rows
 * back.
 */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

interface Task {
  readonly sql: string;
  readonly folder: string;
}

async function perform({ sql, folder }: Task): Promise<number> {
  const file = join(folder, "peer.parquet");
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1000MB", errors_as_json: "true" });
  const connection = await instance.connect();
  await connection.run(`SET allowed_directories = ['${folder}']`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  await connection.run(`COPY (${sql}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
  const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}')`);
  const count = rows.getRowsJson().length;
  connection.closeSync();
  instance.closeSync();
  return count;
}

process.on("message", (task: Task) => void perform(task).then((rows) => process.send?.(rows)));
process.send?.("ready");

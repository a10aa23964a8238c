/**
 * Runs a statement for each message, with the least work that a query service must do: a new connection to a running
 * engine, COPY to Parquet, reading it back, and JSON.
 */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

interface Task {
  readonly sql: string;
  readonly folder: string;
}

const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1000MB" });

async function perform({ sql, folder }: Task): Promise<string> {
  const file = join(folder, "bare.parquet");
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
  const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}')`);
  const text = JSON.stringify(rows.getRowsJson());
  connection.closeSync();
  return text;
}

process.on("message", (task: Task) => void perform(task).then((text) => process.send?.(text)));
process.send?.("ready");

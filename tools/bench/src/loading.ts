import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { addToSource } from "@quern/duckdb/loading";
import { LARGE_SQL } from "./large-result/large-result.ts";
import { alternately, bounded, median } from "./measure.ts";

const ROUNDS = 3;

/**
 * Loads a CSV and a Parquet file of ten million rows into a source, beside DuckDB's own `CREATE TABLE AS` of the same file
 * into a database file.
 */
export async function loading(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
  try {
    for (const format of ["csv", "parquet"]) {
      const file = join(folder, `rows.${format}`);
      await inDatabase(":memory:", `COPY (${LARGE_SQL}) TO '${file}'`);
      const database = join(folder, "bare.duckdb");
      const { ours, theirs } = await alternately(
        ROUNDS,
        async () => {
          rmSync(join(folder, "data"), { recursive: true, force: true });
          await addToSource({ dataDir: join(folder, "data"), source: "bench" }, { from: file });
        },
        async () => {
          rmSync(database, { force: true });
          await inDatabase(database, `CREATE TABLE rows AS FROM '${file}'`);
        },
      );
      const ms = (times: readonly number[]): string => `${median(times).toFixed(0)} ms`;
      console.log(
        `${format}, 10 million rows, medians of ${ROUNDS}: source ${ms(ours)}, CREATE TABLE AS ${ms(theirs)}`,
      );
      bounded({ what: `ratio of ${format}`, value: median(ours) / median(theirs), atMost: 1.3 });
      rmSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a statement on a database file. The engine does not write the table again when it closes the file. */
async function inDatabase(path: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(path, { max_vacuum_tasks: "0" });
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { bounded, byTurns, median } from "./measure.ts";
import { finishedRun, startService } from "./service.ts";

const ROWS = 10_000_000;
const TURNS = 3;
export const LARGE_SQL = `select i as id, i % 97 as bucket, i * 0.5 as half, 'name ' || i as name,
  date '2020-01-01' + (i % 1000)::int as day, i % 2 = 0 as even from range(${ROWS}) t(i)`;

/** Ten million rows by the service beside DuckDB's own `COPY` of the same statement, and what the server process held. */
export async function largeResult(): Promise<void> {
  await using service = await startService();
  const { ours, theirs } = await byTurns(
    TURNS,
    () => finishedRun(service.client, LARGE_SQL),
    () => bareCopy(join(service.folder, "bare.parquet")),
  );
  console.log(
    `${ROWS} rows, medians of ${TURNS}: service ${median(ours).toFixed(0)} ms, DuckDB's COPY ${median(theirs).toFixed(0)} ms`,
  );
  bounded({ what: "ratio", value: median(ours) / median(theirs), atMost: 1.25 });
  const megabytes = service.peakMegabytes();
  if (megabytes !== undefined) bounded({ what: "server process", value: megabytes, unit: " MB", atMost: 250 });
}

/** With the settings that the service gives its engine: all processors up to four, 1 GB. */
async function bareCopy(file: string): Promise<void> {
  const threads = String(Math.min(availableParallelism(), 4));
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1000MB", threads });
  const connection = await instance.connect();
  await connection.run(`COPY (${LARGE_SQL}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
  connection.closeSync();
  instance.closeSync();
}

import { rmSync } from "node:fs";
import { join } from "node:path";
import { alternately, bounded, median } from "../measure.ts";
import { finishedRun, startService } from "../service.ts";
import { bareCopy } from "./copy.ts";

const ROWS = 10_000_000;
const ROUNDS = 3;
export const LARGE_SQL = `select i as id, i % 97 as bucket, i * 0.5 as half, 'name ' || i as name,
  date '2020-01-01' + (i % 1000)::int as day, i % 2 = 0 as even from range(${ROWS}) t(i)`;

/**
 * Runs a statement with ten million rows on the service, beside DuckDB's `COPY` of the same statement, and reads the
 * peak memory of the service.
 */
export async function largeResult(): Promise<void> {
  await using service = await startService();
  const bare = join(service.folder, "bare.parquet");
  const { ours, theirs } = await alternately(
    ROUNDS,
    () => finishedRun(service.client, LARGE_SQL),
    () => {
      rmSync(bare, { force: true }); // the service writes a new file, too
      return bareCopy(LARGE_SQL, bare, "FORMAT parquet, COMPRESSION zstd");
    },
  );
  console.log(
    `${ROWS} rows, medians of ${ROUNDS}: service ${median(ours).toFixed(0)} ms, DuckDB's COPY ${median(theirs).toFixed(0)} ms`,
  );
  bounded({ what: "ratio", value: median(ours) / median(theirs), atMost: 1.25 });
  const megabytes = service.peakMegabytes();
  if (megabytes !== undefined) bounded({ what: "server process", value: megabytes, unit: " MB", atMost: 250 });
}

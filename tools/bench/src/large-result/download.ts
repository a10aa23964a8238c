import { once } from "node:events";
import { createWriteStream, rmSync, statSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { getQueryRunDownload } from "@quern/client";
import { alternately, bounded, median } from "../measure.ts";
import { finishedRun, startService } from "../service.ts";
import { bareCopy, bareCsv } from "./copy.ts";
import { LARGE_SQL } from "./large-result.ts";

const ROUNDS = 3;

/** Downloads a result of ten million rows as CSV, beside DuckDB's `COPY` of such a file from Parquet to CSV. */
export async function download(): Promise<void> {
  await using service = await startService();
  const { client, folder } = service;
  const queryRunId = await finishedRun(client, LARGE_SQL);
  const parquet = join(folder, "bare.parquet");
  await bareCopy(LARGE_SQL, parquet, "FORMAT parquet, COMPRESSION zstd");
  const ours = join(folder, "ours.csv");
  const theirs = join(folder, "theirs.csv");
  const times = await alternately(
    ROUNDS,
    async () => {
      rmSync(ours, { force: true });
      const { url } = await getQueryRunDownload(client, { queryRunId, format: "csv" });
      const [response] = await once(get(url), "response");
      if (response.statusCode !== 200) throw new Error(`the download answered ${response.statusCode}`);
      await pipeline(response, createWriteStream(ours));
    },
    async () => {
      rmSync(theirs, { force: true });
      await bareCsv(parquet, theirs);
    },
  );
  const rate = (file: string, values: readonly number[]) => statSync(file).size / 1_000 / median(values);
  console.log(
    `CSV of 10 million rows, medians of ${ROUNDS}: download ${rate(ours, times.ours).toFixed(0)} MB/s, DuckDB's COPY ${rate(theirs, times.theirs).toFixed(0)} MB/s`,
  );
  bounded({ what: "ratio", value: median(times.theirs) / median(times.ours), atLeast: 0.9 });
}

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bounded, byTurns, median } from "../measure.ts";
import { MILLION_ROWS_SQL } from "../rows/rows.ts";
import { CLI, finishedRun, startService } from "../service.ts";
import { bareCopy } from "./copy.ts";

const TURNS = 5;
const COPY = fileURLToPath(new URL("./copy.ts", import.meta.url));

/** `quern result` of a million rows of ten columns as CSV, beside DuckDB's own `COPY` of the same rows in a process of its own. */
export async function result(): Promise<void> {
  await using service = await startService();
  const { client, folder, url, apiKey } = service;
  const queryRunId = await finishedRun(client, MILLION_ROWS_SQL);
  const parquet = join(folder, "bare.parquet");
  await bareCopy(MILLION_ROWS_SQL, parquet, "FORMAT parquet, COMPRESSION zstd");
  const ours = join(folder, "ours.csv");
  const theirs = join(folder, "theirs.csv");
  const env = { ...process.env, QUERN_URL: url, QUERN_API_KEY: apiKey };
  const peaks: number[] = [];
  const times = await byTurns(
    TURNS,
    async () => {
      // As a shell does with `> ours.csv`.
      const file = openSync(ours, "w");
      const args = [CLI, "result", queryRunId, "--format", "csv"];
      const cli = spawn(process.execPath, args, { env, stdio: ["ignore", file, "inherit"] });
      const peak = watchPeak(cli);
      await ended(cli);
      closeSync(file);
      peaks.push(peak());
    },
    async () => {
      rmSync(theirs, { force: true });
      await ended(spawn(process.execPath, [COPY, parquet, theirs], { stdio: ["ignore", "ignore", "inherit"] }));
    },
  );
  const lines = readFileSync(ours, "latin1").split("\n").length - 2;
  if (lines !== 1_000_000) throw new Error(`the CSV has ${lines} rows`);
  const size = (file: string) => (statSync(file).size / 1e6).toFixed(0);
  const figures = [ours, theirs].map((file, at) => {
    const list = at === 0 ? times.ours : times.theirs;
    return `${median(list).toFixed(0)} ms for ${size(file)} MB`;
  });
  console.log(
    `a million rows x 10 as CSV, medians of ${TURNS}: quern result ${figures[0]}, DuckDB's COPY ${figures[1]}`,
  );
  bounded({ what: "ratio", value: median(times.ours) / median(times.theirs), atMost: 1.5 });
  if (process.platform === "linux")
    bounded({ what: "CLI process", value: Math.max(...peaks), unit: " MB", atMost: 150 });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))));
  });
}

/** Reads the peak resident memory while the process runs: it is gone at its end. */
function watchPeak({ pid }: ChildProcess): () => number {
  let megabytes = 0;
  const timer = setInterval(() => {
    try {
      const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmHWM:\s+(\d+)/)?.[1];
      megabytes = Math.max(megabytes, Number(kilobytes ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 20);
  return () => {
    clearInterval(timer);
    return megabytes;
  };
}

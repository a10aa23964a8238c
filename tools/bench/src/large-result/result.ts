import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bounded, elapsed, median } from "../measure.ts";
import { MILLION_ROWS_SQL } from "../rows/rows.ts";
import { CLI, finishedRun, type Service, startService } from "../service.ts";
import { bareCopy } from "./copy.ts";

const ROUNDS = 5;
const COPY = fileURLToPath(new URL("./copy.ts", import.meta.url));

/**
 * Runs `quern result` of a million rows of ten columns as CSV, beside DuckDB's `COPY` of the same rows in a process.
 * Each round has a new service, and measures its first download and the next one, for which the service keeps a process.
 * The bound applies to the next one, because a service starts only once.
 */
export async function result(): Promise<void> {
  const services: Service[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) services.push(await startService());
    await measure(services);
  } finally {
    for (const service of services) await service[Symbol.asyncDispose]();
  }
}

async function measure(services: readonly Service[]): Promise<void> {
  const runIds: string[] = [];
  for (const { client } of services) runIds.push(await finishedRun(client, MILLION_ROWS_SQL));
  const folder = services[0]?.folder ?? "";
  const parquet = join(folder, "bare.parquet");
  await bareCopy(MILLION_ROWS_SQL, parquet, "FORMAT parquet, COMPRESSION zstd");
  const ours = join(folder, "ours.csv");
  const theirs = join(folder, "theirs.csv");
  const peaks: number[] = [];
  const download = async ({ url, apiKey }: Service, queryRunId: string): Promise<void> => {
    const env = { ...process.env, QUERN_URL: url, QUERN_API_KEY: apiKey };
    // Writes to a file, as a shell does for `> ours.csv`.
    const file = openSync(ours, "w");
    const args = [CLI, "result", queryRunId, "--format", "csv"];
    const cli = spawn(process.execPath, args, { env, stdio: ["ignore", file, "inherit"] });
    const peak = watchPeak(cli);
    await ended(cli);
    closeSync(file);
    peaks.push(peak());
  };
  const copy = async (): Promise<void> => {
    rmSync(theirs, { force: true });
    await ended(spawn(process.execPath, [COPY, parquet, theirs], { stdio: ["ignore", "ignore", "inherit"] }));
  };
  const times = { first: [] as number[], next: [] as number[], copy: [] as number[] };
  for (const [round, service] of services.entries()) {
    const runId = runIds[round] ?? "";
    times.first.push(await elapsed(() => download(service, runId)));
    times.copy.push(await elapsed(copy));
    times.next.push(await elapsed(() => download(service, runId)));
    times.copy.push(await elapsed(copy));
  }
  const lines = readFileSync(ours, "latin1").split("\n").length - 2;
  if (lines !== 1_000_000) throw new Error(`the CSV has ${lines} rows`);
  const size = (file: string) => (statSync(file).size / 1e6).toFixed(0);
  const milliseconds = (list: readonly number[]) => `${median(list).toFixed(0)} ms`;
  console.log(
    `a million rows x 10 as CSV, medians of ${ROUNDS} services: quern result, ${size(ours)} MB: first of a service ${milliseconds(times.first)}, ` +
      `next ${milliseconds(times.next)}; DuckDB's COPY, ${size(theirs)} MB: ${milliseconds(times.copy)}`,
  );
  const ratioOf = (list: readonly number[]) => median(list) / median(times.copy);
  console.log(
    `no bound: the first download of a service that has just started takes ${ratioOf(times.first).toFixed(2)} x COPY`,
  );
  bounded({ what: "ratio, next download", value: ratioOf(times.next), atMost: 1.5 });
  if (process.platform === "linux")
    bounded({ what: "CLI process", value: Math.max(...peaks), unit: " MB", atMost: 150 });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))));
  });
}

/** Reads the peak memory while the process runs, because it cannot be read afterwards. */
function watchPeak({ pid }: ChildProcess): () => number {
  let megabytes = 0;
  const timer = setInterval(() => {
    try {
      const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmHWM:\s+(\d+)/)?.[1];
      megabytes = Math.max(megabytes, Number(kilobytes ?? 0) / 1024);
    } catch {
      // The process has ended.
    }
  }, 20);
  return () => {
    clearInterval(timer);
    return megabytes;
  };
}

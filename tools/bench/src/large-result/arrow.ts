import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { getQueryRunDownload } from "@quern/client";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { alternately, bounded, median } from "../measure.ts";
import { MILLION_ROWS_SQL } from "../rows/rows.ts";
import { finishedRun, peakMegabytes, type Service, startService } from "../service.ts";
import { LARGE_SQL } from "./large-result.ts";

const ROWS = 1_000_000;
const ROUNDS = 9;

/**
 * Downloads a million rows of ten columns as Arrow, beside DuckDB in Python, which writes an Arrow stream of the same file.
 * Then downloads ten million rows, and reads the peak memory of the process that writes them.
 */
export async function arrow(): Promise<void> {
  await using service = await startService();
  const run = await finishedRun(service.client, MILLION_ROWS_SQL);
  const environment = await createPythonEnvironment("duckdb==1.5.5", "pyarrow==26.0.1");
  const ours = (): Promise<number> => downloadedBytes(service, run);
  if ("lacks" in environment) console.log(`without DuckDB in Python: the machine lacks ${environment.lacks}`);
  else {
    await using peer = startPeer(environment.python);
    const file = join(service.dataDir, "results", `${run}.1.parquet`);
    const theirs = async (): Promise<void> => {
      const rows = await peer.write(file);
      if (rows !== ROWS) throw new Error(`DuckDB in Python read ${rows} of ${ROWS} rows`);
    };
    await alternately(2, ours, theirs);
    const times = await alternately(ROUNDS, ours, theirs);
    const [oursMs, theirsMs] = [median(times.ours), median(times.theirs)];
    console.log(
      `${ROWS} rows x 10, medians of ${ROUNDS}: service ${oursMs.toFixed(0)} ms, DuckDB in Python ${theirsMs.toFixed(0)} ms`,
    );
    bounded({ what: "ratio", value: oursMs / theirsMs, atMost: 5 });
  }
  const bytes = await downloadedBytes(service, await finishedRun(service.client, LARGE_SQL));
  const megabytes = downloadMegabytes(service.pid);
  console.log(`ten million rows: ${(bytes / 1e6).toFixed(0)} MB`);
  if (megabytes !== undefined) bounded({ what: "process of the download", value: megabytes, unit: " MB", atMost: 400 });
}

/** Downloads the result of a run as Arrow. Returns its size. */
export async function downloadedBytes({ client }: Service, queryRunId: string): Promise<number> {
  const { url } = await getQueryRunDownload(client, { queryRunId, format: "arrow" });
  // `fetch` would take more processor time than the service does to send the bytes.
  const response = await new Promise<IncomingMessage>((resolve, reject) => get(url, resolve).once("error", reject));
  if (response.statusCode !== 200) throw new Error(`the download failed with ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return bytes;
}

function startPeer(python: string) {
  const script = fileURLToPath(new URL("read_arrow.py", import.meta.url));
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Writes a file as Arrow and returns its number of rows. */
    async write(file: string): Promise<number> {
      child.stdin.write(`${file}\n`);
      return Number((await answers.next()).value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

/** Returns the peak memory of the download process of a service, which only Linux records. */
function downloadMegabytes(servicePid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const peaks = readdirSync("/proc")
    .filter((name) => isDownload(name, servicePid))
    .map((name) => peakMegabytes(Number(name)) ?? 0);
  if (peaks.length === 0) throw new Error("the service has no process for downloads");
  return Math.max(...peaks);
}

function isDownload(name: string, servicePid: number): boolean {
  try {
    const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
    return Number(parent) === servicePid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("download/worker");
  } catch {
    return false; // another file, or a process that has ended meanwhile
  }
}

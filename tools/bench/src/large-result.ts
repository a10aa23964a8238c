import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { createClient, createQueryRun, getQueryRun, getQueryRunResults } from "@quern/client";

const ROWS = 10_000_000;
const PAGE_ROWS = 1_000;
const SQL = `select i as id, i % 97 as bucket, i * 0.5 as half, 'name ' || i as name,
  date '2020-01-01' + (i % 1000)::int as day, i % 2 = 0 as even from range(${ROWS}) t(i)`;
const API_KEY = "qk_bench_0123456789abcdef";
const CLI = fileURLToPath(new URL("../../../packages/cli/bin/quern.js", import.meta.url));

/** Ten million rows by the service beside DuckDB's own `COPY` of the same statement, and what the server process held. */
export async function largeResult(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
  const service = spawn(process.execPath, [CLI, "serve", "--port", "0", "--data-dir", folder, "--json"], {
    env: { ...process.env, QUERN_API_KEY: API_KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const client = createClient({ url: await readyUrl(service), apiKey: API_KEY, timeoutMs: 300_000 });
    const bareMs = await elapsed(() => bareCopy(join(folder, "bare.parquet")));
    let queryRunId = "";
    const serviceMs = await elapsed(async () => {
      queryRunId = (await createQueryRun(client, { sql: SQL })).queryRun.id;
      for (;;) {
        const { queryRun } = await getQueryRun(client, { queryRunId, waitSeconds: 50 });
        if (queryRun.state === "QUERY_STATE_SUCCESS") return;
        if (queryRun.errorMessage !== null) throw new Error(queryRun.errorMessage);
      }
    });
    const page = (number: number) => getQueryRunResults(client, { queryRunId, page: { number, size: PAGE_ROWS } });
    await page(1);
    const firstMs = await elapsed(() => page(1));
    const lastMs = await elapsed(() => page(ROWS / PAGE_ROWS));
    console.log(
      `${ROWS} rows: DuckDB's COPY ${bareMs.toFixed(0)} ms, service ${serviceMs.toFixed(0)} ms, ratio ${(serviceMs / bareMs).toFixed(2)}`,
    );
    console.log(
      `a page of ${PAGE_ROWS} rows: first ${firstMs.toFixed(1)} ms, last ${lastMs.toFixed(1)} ms, ratio ${(lastMs / firstMs).toFixed(2)}`,
    );
    console.log(`server process: at most ${peakMegabytes(service.pid)} MB resident`);
  } finally {
    service.kill("SIGTERM");
    await new Promise((resolve) => service.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function bareCopy(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "1GB" });
  const connection = await instance.connect();
  await connection.run(`COPY (${SQL}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
  connection.closeSync();
  instance.closeSync();
}

function readyUrl(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    service.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    if (service.stdout)
      createInterface({ input: service.stdout }).once("line", (line) => resolve(JSON.parse(line).url));
  });
}

/** Peak resident memory of a process, which only Linux keeps. */
function peakMegabytes(pid: number | undefined): string {
  if (process.platform !== "linux") return "an unknown number of";
  const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmHWM:\s+(\d+)/)?.[1];
  return (Number(kilobytes) / 1024).toFixed(0);
}

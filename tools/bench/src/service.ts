import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, createClient, createQueryRun, getQueryRun } from "@quern/client";

/** Folder whose packages the service loads, such as that of a store on PostgreSQL. */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const CLI = fileURLToPath(new URL("../../../packages/cli/bin/quern.js", import.meta.url));

/** `quern serve` as a process, with its defaults except for the settings of {@link startService}. */
export interface Service extends AsyncDisposable {
  readonly client: Client;
  readonly url: string;
  readonly apiKey: string;
  /** Id of the process. */
  readonly pid: number;
  /** Data directory of the service. */
  readonly dataDir: string;
  /** Folder for files of the benchmark on the same disk. It is removed with the service. */
  readonly folder: string;
  /** Returns the peak memory of the service, which only Linux records. */
  peakMegabytes(): number | undefined;
}

/** @param settings Settings of `quern serve --set`, such as `{ isolation: "run" }`. */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
  const apiKey = "qk_bench_0123456789abcdef";
  const set = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const flags = ["--port", "0", "--data-dir", join(folder, "data"), "--json", ...set];
  const server = spawn(process.execPath, [CLI, "serve", ...flags], {
    cwd: ROOT,
    env: { ...process.env, QUERN_API_KEY: apiKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await readyUrl(server);
  return {
    url,
    apiKey,
    pid: server.pid ?? 0, // it has answered
    folder,
    dataDir: join(folder, "data"),
    client: createClient({ url, apiKey, timeoutMs: 300_000 }),
    peakMegabytes: () => peakMegabytes(server.pid),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Adds a source with `quern sources add` while the service runs. */
export async function addSource({ dataDir }: Service, name: string, address: string, kind: string): Promise<void> {
  const args = ["sources", "add", name, address, "--kind", kind, "--data-dir", dataDir];
  await promisify(execFile)(process.execPath, [CLI, ...args]);
}

/** Runs a statement to its end, and returns the id of its run. @param more Parameters of `createQueryRun` */
export async function finishedRun(
  client: Client,
  sql: string,
  more: { readonly dataSource?: string } = {},
): Promise<string> {
  let { queryRun } = await createQueryRun(client, { sql, waitSeconds: 50, ...more });
  while (queryRun.state !== "QUERY_STATE_SUCCESS") {
    if (queryRun.errorMessage !== null) throw new Error(queryRun.errorMessage);
    ({ queryRun } = await getQueryRun(client, { queryRunId: queryRun.id, waitSeconds: 50 }));
  }
  return queryRun.id;
}

/** Returns the address that a process prints as JSON. */
export function readyUrl(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    if (server.stdout) createInterface({ input: server.stdout }).once("line", (line) => resolve(JSON.parse(line).url));
  });
}

/** Returns the peak memory of a process, which only Linux records. */
export function peakMegabytes(pid: number | undefined): number | undefined {
  if (process.platform !== "linux") return undefined;
  const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmHWM:\s+(\d+)/)?.[1];
  return Number(kilobytes) / 1024;
}

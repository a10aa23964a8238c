import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type SourceKind, StatementError } from "@quern/adapter";
import { createDuckDBSourceKind } from "@quern/duckdb";
import { createServer } from "@quern/server";
import { limitDefaults } from "../../../server/src/common/limits.ts";
import { columns, kindOf, rowsOfKind, type Side, scriptedFailure, sqlOf } from "./side.ts";

const apiKey = "a key of the tests";
const source = { name: "samples", provider: "quern" };

export interface ServerSide extends Side, AsyncDisposable {
  readonly url: string;
  now(): number;
}

/**
 * Starts a service on a test clock. A scripted engine goes by the kind of a statement; the real one runs any.
 * @param folder has the results of the scripted engine, by `storeResults`. @default they are made
 */
export async function startServerSide(
  engine: "scripted" | "real" | "both" = "scripted",
  folder?: string,
): Promise<ServerSide> {
  const directory = await mkdtemp(join(tmpdir(), "quern-differential-"));
  const others = engine === "both" ? realKind(join(directory, "engine")) : undefined;
  const sourceKinds = engine === "real" ? undefined : { duckdb: await scriptedKind(directory, folder, others) };
  let now = Date.UTC(2026, 10, 20, 9, 30);
  const limits = { maxRunningRuns: 1000, maxUnfinishedRuns: 1000, maxRunningRunsOfTenant: 1000 };
  // Until the first `advance`, each reading of the clock is later than the one before.
  let isAdvanced = engine !== "both";
  const clock = { now: () => (isAdvanced ? now : ++now) };
  const server = await createServer({
    dataDir: join(directory, "data"),
    apiKey,
    sources: [source],
    sourceKinds,
    clock,
    limits,
  });
  const { url } = await server.listen();
  const agent = new Agent({ keepAlive: true });
  return {
    name: "service",
    url,
    now: () => now,
    post: (body) => post(url, apiKey, body, agent),
    advance: (ms) => {
      isAdvanced = true;
      now += ms;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

export async function post(url: string, key: string, body: string, agent: Agent): Promise<string> {
  const headers = { "content-type": "application/json", "x-api-key": key, "content-length": Buffer.byteLength(body) };
  const sent = request(`${url}/json-rpc`, { method: "POST", headers, agent }).end(body);
  const [response] = await once(sent, "response");
  return text(response);
}

function realKind(workDirectory: string): SourceKind {
  return createDuckDBSourceKind({
    ...limitDefaults,
    workDirectory,
    linkDirectory: join(workDirectory, "links"),
    threads: 1,
  });
}

async function scriptedKind(directory: string, folder?: string, others?: SourceKind): Promise<SourceKind> {
  if (folder === undefined) await storeResults(directory);
  let written = 0;
  const rowCounts = new Map([
    ["cars", rowsOfKind.cars.length],
    ["empty", 0],
  ]);
  return {
    revision: async () => "none",
    hold: async () => ({ revision: "none", databases: [], release: async () => {} }),
    async begin(statement, signal) {
      const { sql } = statement;
      const kind = kindOf(sql) ?? "";
      if (kind === "" && others !== undefined) return others.begin(statement, signal);
      if (kind === "fails") throw new StatementError(scriptedFailure);
      const rowCount = rowCounts.get(kind);
      if (rowCount === undefined)
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const path = join(directory, `${++written}.parquet`);
      await copyFile(join(folder ?? directory, `${kind}.parquet`), path);
      return {
        engineQueryId: null,
        progress: () => null,
        result: async () => ({ form: "parquet", columns, file: async () => ({ path, rowCount }) }),
        release: () => rm(path, { force: true }),
      };
    },
    async describe(query, signal) {
      const kind = kindOf(query.sql);
      if (kind === undefined && others !== undefined) return others.describe(query, signal);
      if (kind === "fails") throw new StatementError(scriptedFailure);
      return { columns, parameters: [] };
    },
    cancel: async () => {},
    close: async () => others?.close(),
  };
}

/** Writes the results of the scripted engine into a folder, with the real one. */
export async function storeResults(directory: string): Promise<void> {
  const engine = realKind(join(directory, "work"));
  const of = { ...source, kind: "duckdb", path: null, lowerCaseColumns: false };
  const run = { runId: "run", attempt: 1, tenantId: "t", userId: "u", traceparent: undefined, parameters: null };
  const limits = { timeoutSeconds: 60, maxResultBytes: 1e9, maxResultRows: 1e9 };
  const kept = (["cars", "empty"] as const).map(async (kind) => {
    const path = join(directory, `${kind}.parquet`);
    const statement = { ...run, sql: sqlOf(kind, "kept"), source: of, data: await engine.hold(of), limits };
    const execution = await engine.begin(statement, new AbortController().signal);
    const result = await execution.result();
    if (result.form !== "parquet") throw new Error("the engine has written no file");
    await copyFile((await result.file()).path, path);
    await execution.release();
  });
  await Promise.all(kept).finally(() => engine.close());
}

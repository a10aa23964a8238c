import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Executor, StatementError } from "@quern/adapter";
import { createDuckDBExecutor } from "@quern/duckdb";
import { createServer } from "@quern/server";
import { columns, kindOf, rowsOfKind, type Side, scriptedFailure, sqlOf } from "./side.ts";

const apiKey = "a key of the tests";
const source = { name: "samples", provider: "quern" };

export interface ServerSide extends Side, AsyncDisposable {
  readonly url: string;
  now(): number;
}

/** A service on a clock of the test; its engine does what the kind of a statement says, or is the real one, which takes any. */
export async function startServerSide(engine: "scripted" | "real" | "both" = "scripted"): Promise<ServerSide> {
  const directory = await mkdtemp(join(tmpdir(), "quern-differential-"));
  const others = engine === "both" ? createDuckDBExecutor({ workDirectory: join(directory, "engine") }) : undefined;
  const executor = engine === "real" ? undefined : await scriptedExecutor(directory, others);
  let now = Date.UTC(2026, 10, 20, 9, 30);
  const limits = { maxRunningRuns: 1000, maxUnfinishedRuns: 1000, maxRunningRunsOfTenant: 1000 };
  // Until it is told how time goes on, each look at it is a moment of its own.
  let isTold = engine !== "both";
  const clock = { now: () => (isTold ? now : ++now) };
  const server = await createServer({
    dataDir: join(directory, "data"),
    apiKey,
    sources: [source],
    executor,
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
      isTold = true;
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

async function scriptedExecutor(directory: string, others?: Executor): Promise<Executor> {
  const [cars, empty] = await storedResults(directory);
  let written = 0;
  const files = new Map([
    ["cars", { path: cars, rowCount: rowsOfKind.cars.length }],
    ["empty", { path: empty, rowCount: 0 }],
  ]);
  return {
    async execute(statement, signal, onExecuted) {
      const { sql } = statement;
      const kind = kindOf(sql) ?? "";
      if (kind === "" && others !== undefined) return others.execute(statement, signal, onExecuted);
      if (kind === "fails") throw new StatementError(scriptedFailure);
      const file = files.get(kind);
      if (file === undefined)
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const path = join(directory, `${++written}.parquet`);
      await copyFile(file.path ?? "", path);
      await onExecuted();
      return { path, columns, rowCount: file.rowCount, release: () => rm(path, { force: true }) };
    },
    async describe(statement, signal) {
      const kind = kindOf(statement.sql);
      if (kind === undefined && others !== undefined) return others.describe(statement, signal);
      if (kind === "fails") throw new StatementError(scriptedFailure);
      return { columns, parameters: [] };
    },
    close: async () => others?.close(),
  };
}

/** The rows as the real engine writes them. */
async function storedResults(directory: string): Promise<readonly string[]> {
  await using engine = Object.assign(createDuckDBExecutor({ workDirectory: join(directory, "work"), threads: 1 }), {
    [Symbol.asyncDispose]: () => engine.close(),
  });
  const kept = (["cars", "empty"] as const).map(async (kind) => {
    const sql = sqlOf(kind, "kept");
    const path = join(directory, `${kind}.parquet`);
    const statement = {
      sql,
      parameters: null,
      source: { ...source, path: null, lowerCaseColumns: false },
      databases: [],
    };
    const result = await engine.execute(statement, new AbortController().signal, async () => {});
    await copyFile(result.path, path);
    await result.release();
    return path;
  });
  return await Promise.all(kept);
}

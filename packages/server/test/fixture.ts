import { mkdtemp, readdir, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Execution, SourceKind, WrittenResult } from "@quern/adapter";
import { createDuckDBSourceKind, type DuckDBSourceKindOptions } from "@quern/duckdb";
import type {
  CreateQueryRunParams,
  CreateQueryRunResult,
  GetQueryRunResult,
  GetQueryRunResultsParams,
  GetQueryRunResultsResult,
  QueryRun,
} from "@quern/protocol/types";
import { createServer, type ServerOptions } from "@quern/server";
import { limitDefaults } from "../src/common/limits.ts";

export const apiKey = "a key of the tests";

/** A JSON-RPC error as a test sees it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  /** Makes one call over HTTP. @throws {RpcError} */
  call<T>(method: string, params: unknown): Promise<T>;
  /** Makes several calls as one batch, and returns the results in the order of the calls. */
  batch<Results extends readonly unknown[]>(calls: readonly BatchCall[]): Promise<Results>;
  create(params: CreateQueryRunParams): Promise<CreateQueryRunResult>;
  /** Runs a statement to its end. */
  run(sql: string, params?: Partial<CreateQueryRunParams>): Promise<QueryRun>;
  get(queryRunId: string, waitSeconds?: number): Promise<QueryRun>;
  results(params: GetQueryRunResultsParams): Promise<GetQueryRunResultsResult>;
  /** The rows of a statement as arrays. */
  rows(sql: string, params?: Partial<CreateQueryRunParams>): Promise<readonly unknown[]>;
  reap(): Promise<void>;
  /** Ends the server and keeps its data. */
  stop(): Promise<void>;
}

export interface TestServerOptions extends Partial<ServerOptions> {
  /** Replaces the adapter for DuckDB. */
  readonly kind?: SourceKind | undefined;
}

/** Starts a server on loopback. Its data directory is removed with it unless one is given. */
export async function startServer({ kind, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await temporaryDirectory());
  const server = await createServer({
    dataDir,
    apiKey,
    sources: [{ name: "test", provider: "quern" }],
    ...(kind !== undefined && { sourceKinds: { duckdb: kind } }),
    ...options,
  });
  const { url } = await server.listen();
  const client = createTestClient(url);
  return {
    ...client,
    url,
    dataDir,
    reap: () => server.reap(),
    stop: () => server.close(),
    async [Symbol.asyncDispose]() {
      await server.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "quern-test-"));
}

/** Lists the files of a folder that this process has open, from /proc. */
export async function openFilesIn(folder: string): Promise<readonly string[]> {
  const root = await realpath(folder);
  const descriptors = await readdir("/proc/self/fd");
  const files = await Promise.all(descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => "")));
  return files.filter((file) => file.startsWith(root)).map((file) => file.slice(root.length + 1));
}

interface BatchCall {
  readonly method: string;
  readonly params: unknown;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

type TestClient = Pick<TestServer, "call" | "batch" | "create" | "run" | "get" | "results" | "rows">;

export function createTestClient(url: string, key = apiKey): TestClient {
  let lastId = 0;
  const envelope = ({ method, params }: BatchCall) => ({ jsonrpc: "2.0", id: ++lastId, method, params: [params] });
  async function post(body: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  }
  const resultOf = ({ error, result }: Answer): unknown => {
    if (error !== undefined) throw new RpcError(error);
    return result;
  };
  // The service answers the types of its methods; tests check the values.
  const call = async <T>(method: string, params: unknown) =>
    resultOf((await post(envelope({ method, params }))) as Answer) as T;
  async function batch<Results extends readonly unknown[]>(calls: readonly BatchCall[]): Promise<Results> {
    const requests = calls.map(envelope);
    const answers = (await post(requests)) as readonly Answer[];
    const results = requests.map(({ id }) => resultOf(answers.find((answer) => answer.id === id) as Answer));
    return results as readonly unknown[] as Results;
  }
  const create = (params: CreateQueryRunParams) => call<CreateQueryRunResult>("createQueryRun", params);
  const get = async (queryRunId: string, waitSeconds = 0) =>
    (await call<GetQueryRunResult>("getQueryRun", { queryRunId, waitSeconds })).queryRun;
  // No limit of its own, for loaded machines: the timeout of the test ends it.
  const run = async (sql: string, params: Partial<CreateQueryRunParams> = {}) => {
    let { queryRun } = await create({ sql, waitSeconds: 30, ...params });
    while (queryRun.endedAt === null) queryRun = await get(queryRun.id, 30);
    return queryRun;
  };
  const results = (params: GetQueryRunResultsParams) => call<GetQueryRunResultsResult>("getQueryRunResults", params);
  return {
    call,
    batch,
    create,
    run,
    results,
    get,
    async rows(sql, params) {
      const { id, state, errorMessage } = await run(sql, params);
      if (state !== "QUERY_STATE_SUCCESS") throw new Error(`${state}: ${errorMessage}`);
      return (await results({ queryRunId: id })).rows ?? [];
    },
  };
}

export interface TestClock {
  now(): number;
  advance(ms: number): void;
}

export function createTestClock(start = Date.UTC(2026, 10, 20, 9, 30)): TestClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

/** A gate that statements wait at until a test opens it. */
export interface Gate {
  readonly waiting: number;
  pass(signal: AbortSignal): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let waiting = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open,
    get waiting() {
      return waiting;
    },
    async pass(signal) {
      waiting += 1;
      await Promise.race([
        opened,
        new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ]);
      waiting -= 1;
    },
  };
}

/** An adapter with a gate before a statement begins, and one before its result is complete. */
export function gatedKind(inner: SourceKind, gates: { before?: Gate; executed?: Gate }): SourceKind {
  return {
    ...inner,
    async begin(statement, signal) {
      await gates.before?.pass(signal);
      const execution = await inner.begin(statement, signal);
      return {
        ...execution,
        async result() {
          const result = await execution.result();
          if (result.form !== "parquet") return result;
          return { ...result, file: async () => gates.executed?.pass(signal).then(result.file) ?? result.file() };
        },
      };
    },
  };
}

/** The adapter that a server has by default, in a directory of the test. */
export async function duckdbKind(
  options: Partial<Omit<DuckDBSourceKindOptions, "workDirectory" | "linkDirectory">> = {},
): Promise<SourceKind> {
  const workDirectory = await temporaryDirectory();
  return createDuckDBSourceKind({
    ...limitDefaults,
    workDirectory,
    linkDirectory: join(workDirectory, "links"),
    ...options,
  });
}

/** Waits for something that becomes true soon, also on a loaded machine. */
export async function eventually(holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("it did not become true in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns an execution whose result is a Parquet file. @param completed awaited before the file is complete */
export function writtenExecution(
  { columns, path, rowCount, release }: WrittenResult,
  completed: () => Promise<unknown> = async () => {},
): Execution {
  const file = async () => {
    await completed();
    return { path, rowCount };
  };
  return {
    engineQueryId: null,
    progress: () => null,
    result: async () => ({ form: "parquet", columns, file }),
    release,
  };
}

const nothing = (): Promise<never> => Promise.reject(new Error("nothing runs here"));

/** Adapter that runs no statements. */
export const idleKind: SourceKind = {
  revision: async () => "none",
  hold: async () => ({ revision: "none", release: async () => {} }),
  describe: nothing,
  begin: nothing,
  cancel: async () => {},
  close: async () => {},
};

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SourceKind, StatementError } from "@quern/adapter";
import { diskFullFailure } from "@quern/duckdb";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { afterAll, beforeAll, vi } from "vitest";
import { oneProcessKind } from "../../duckdb/test/executor/one-process.ts";
import { openSqliteStore } from "../src/sqlite/store.ts";
import {
  apiKey,
  createGate,
  createTestClock,
  idleKind,
  startServer,
  type TestServer,
  type TestServerOptions,
} from "./fixture.ts";
import { createFakeOutage } from "./outages.ts";

interface Refusal {
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly data?: object };
}

/** Calls a method of a server, by JSON-RPC or by a tool of agents. */
type Attempt<Answer> = (server: TestServer, method: string, params: object, key?: string) => Promise<Answer>;

/** Provokes an error of a method. */
type Provocation = <Answer>(method: string, attempt: Attempt<Answer>) => Promise<Answer>;

const start = (options: TestServerOptions) => startServer({ mcp: true, ...options });
const silent = { error: () => {} };
const nothing = () => Promise.resolve([]);
const clock = createTestClock();
const held = createGate();
let server: TestServer;
/** Allows one request per second, and its clock stands still. */
let busy: TestServer;

/** Starts the servers before the tests of the file that calls it, and ends them after its tests. */
export function useProvocations(): void {
  beforeAll(async () => {
    const limits = { maxUnfinishedRuns: 1, maxPageBytes: 2_000 };
    server = await start({ clock, limits, kind: holding(await oneProcessKind()) });
    busy = await start({ clock: createTestClock(), limits: { requestsPerSecond: 1 }, kind: idleKind });
    await callMethod(busy, "listQueryRuns", {});
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await busy[Symbol.asyncDispose]();
  });
}

/** Runs a statement with many rows, since smaller results are kept in the store, and damages the file of its result. */
async function withDamagedResult(sql: string) {
  const run = await server.run(sql);
  const results = join(server.dataDir, "results");
  const file = (await readdir(results, { recursive: true })).find((name) => name.includes(run.id)) ?? "";
  await writeFile(join(results, file), "no longer Parquet");
  return run;
}

function whileStoreIsFull<T>(work: () => Promise<T>): Promise<T> {
  const commit = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
    throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
  });
  return work().finally(() => commit.mockRestore());
}

/** Statements that name `held` wait at the gate. */
function holding(inner: SourceKind): SourceKind {
  return {
    ...inner,
    async begin(statement, signal) {
      if (statement.sql.includes("held")) await held.pass(signal);
      return inner.begin(statement, signal);
    },
  };
}

/** Calls a method by JSON-RPC. */
export async function callMethod({ url }: TestServer, method: string, params: object, key = apiKey): Promise<Refusal> {
  const response = await fetch(`${url}/json-rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] }),
  });
  const { error } = (await response.json()) as Refusal;
  return { status: response.status, error };
}

const call =
  (params: object): Provocation =>
  (method, attempt) =>
    attempt(server, method, params);

/** Creates a run that has succeeded. */
const read =
  (sql: string, more: object = {}): Provocation =>
  async (method, attempt) =>
    attempt(server, method, { queryRunId: (await server.run(sql, { maxAgeMinutes: 60 })).id, ...more });

async function whileHeld<T>(work: (queryRunId: string) => Promise<T>): Promise<T> {
  const { queryRun } = await server.create({ sql: "select 1 as held" });
  try {
    return await work(queryRun.id);
  } finally {
    await server.call("cancelQueryRun", { queryRunId: queryRun.id });
  }
}

/** Calls a server whose engine has no space on the disk. */
const onFullDisk =
  (params: object): Provocation =>
  async (method, attempt) => {
    const hold = () => Promise.reject(new StatementError(diskFullFailure));
    await using full = await start({
      kind: { ...idleKind, hold, tables: nothing, complete: nothing },
      log: silent,
    });
    return await attempt(full, method, params);
  };

const unknownRun = call({ queryRunId: "unknown" });
const unknownSource = call({ sql: "select 1", dataSource: "unknown" });
const unknownProvider = call({ sql: "select 1", dataProvider: "unknown" });

const ofEachMethod: Readonly<Record<string, Provocation>> = {
  InvalidParams: call({ colour: "red" }),
  AuthorizationError: (method, attempt) => attempt(server, method, {}, "wrong"),
  RateLimited: (method, attempt) => attempt(busy, method, {}),
  StoreUnavailable: async (method, attempt) => {
    const outage = createFakeOutage(openSqliteStore(":memory:"));
    await using away = await start({ store: outage.store, kind: idleKind, log: silent });
    outage.isAway = true;
    return await attempt(away, method, {}).finally(() => {
      outage.isAway = false;
    });
  },
};

/** Makes a call of a user who has no execution time left. */
function withoutBudget(params: object): Provocation {
  return async (method, attempt) => {
    await using spent = await start({ limits: { monthlyExecSeconds: 0 }, kind: idleKind });
    return await attempt(spent, method, params);
  };
}

/** Creates an upload on a server with some limits. */
function upload(limits: NonNullable<TestServerOptions["limits"]>): Provocation {
  return async (method, attempt) => {
    await using limited = await start({ limits, log: silent, kind: idleKind });
    return await attempt(limited, method, { format: "csv", bytes: 1 });
  };
}

/** Calls that provoke each error that the OpenRPC document lists for a method. */
const provocations: Readonly<Record<string, Readonly<Record<string, Provocation>>>> = {
  createQueryRun: {
    DataSourceNotFound: unknownSource,
    DataProviderNotFound: unknownProvider,
    UploadNotFound: call({ sql: "select 1", uploads: { t: "unknown" } }),
    BudgetExceeded: withoutBudget({ sql: "select 1" }),
    StorageQuotaExceeded: async (method, attempt) => {
      await using used = await start({ limits: { maxStoredBytes: 0 }, kind: idleKind });
      return await attempt(used, method, { sql: "select 1" });
    },
    StorageFull: async (method, attempt) => {
      await using full = await start({ limits: { maxDiskShare: 0.001 }, log: silent, kind: idleKind });
      return await attempt(full, method, { sql: "select 1" });
    },
    MaxConcurrentQueries: (method, attempt) => whileHeld(() => attempt(server, method, { sql: "select 2" })),
  },
  createUpload: {
    TooManyUploads: upload({ maxUploads: 0 }),
    StorageQuotaExceeded: upload({ maxStoredBytes: 0 }),
    StorageFull: upload({ maxDiskShare: 0.001 }),
  },
  getQueryRun: { QueryRunNotFound: unknownRun },
  getQueryRunResults: {
    QueryRunNotFound: unknownRun,
    QueryRunNotFinished: (method, attempt) => whileHeld((queryRunId) => attempt(server, method, { queryRunId })),
    ResultFormatNotSupported: read("select 1 as n", { format: "xml" }),
    InvalidSortColumn: read("select 1 as n", { sortBy: [{ column: "colour", direction: "asc" }] }),
    DuckDBError: async (method, attempt) => {
      const { id } = await withDamagedResult("select range as kept from range(10000)");
      return attempt(server, method, { queryRunId: id });
    },
    RequestedPageSizeTooLarge: read("select repeat('x', 100) from range(100)"),
    RowTooLarge: read("select repeat('x', 3000)"),
    QueryRunResultsExpired: async (method, attempt) => {
      const { id } = await server.run("select 'soon gone' as word", { resultTTLHours: 1 });
      clock.advance(3_600_000);
      return attempt(server, method, { queryRunId: id });
    },
  },
  cancelQueryRun: {
    QueryRunNotFound: unknownRun,
    QueryRunInvalidStateToCancel: read("select 1 as n"),
    StorageFull: (method, attempt) =>
      whileHeld((queryRunId) => whileStoreIsFull(() => attempt(server, method, { queryRunId }))),
  },
  getSqlStatement: { SqlStatementNotFound: call({ sqlStatementId: "unknown" }) },
  describeQuery: {
    DataSourceNotFound: unknownSource,
    DataProviderNotFound: unknownProvider,
    InvalidQuery: call({ sql: "select colour" }),
    BudgetExceeded: withoutBudget({ sql: "select 1" }),
    StorageFull: onFullDisk({ sql: "select 1" }),
  },
  listTables: {
    DataSourceNotFound: call({ dataSource: "unknown" }),
    DataProviderNotFound: call({ dataProvider: "unknown" }),
    BudgetExceeded: withoutBudget({}),
    StorageFull: onFullDisk({}),
  },
  completeSql: {
    DataSourceNotFound: unknownSource,
    DataProviderNotFound: unknownProvider,
    BudgetExceeded: withoutBudget({ sql: "select 1" }),
    StorageFull: onFullDisk({ sql: "select 1" }),
  },
  getQueryRunDownload: {
    QueryRunNotFound: call({ queryRunId: "unknown", format: "csv" }),
    QueryRunNotFinished: (method, attempt) =>
      whileHeld((queryRunId) => attempt(server, method, { queryRunId, format: "csv" })),
    ResultFormatNotSupported: read("select 1 as n", { format: "xml" }),
    InvalidSortColumn: read("select 1 as n", { format: "csv", sortBy: [{ column: "colour", direction: "asc" }] }),
    DuckDBError: async (method, attempt) => {
      const { id } = await withDamagedResult("select range as damaged from range(10000)");
      return attempt(server, method, { queryRunId: id, format: "csv", filters: [{ column: "damaged", eq: 1 }] });
    },
    StorageFull: async (method, attempt) => {
      const { id } = await server.run("select 1 as n");
      const view = { queryRunId: id, format: "csv", filters: [{ column: "n", eq: 1 }] };
      return whileStoreIsFull(() => attempt(server, method, view));
    },
    QueryRunResultsExpired: async (method, attempt) => {
      const { id } = await server.run("select 'soon gone, too' as word", { resultTTLHours: 1 });
      clock.advance(3_600_000);
      return attempt(server, method, { queryRunId: id, format: "csv" });
    },
  },
  getColumnProfile: {
    QueryRunNotFound: call({ queryRunId: "unknown", column: "n" }),
    QueryRunNotFinished: (method, attempt) =>
      whileHeld((queryRunId) => attempt(server, method, { queryRunId, column: "held" })),
    InvalidSortColumn: read("select 1 as n", { column: "colour" }),
    DuckDBError: async (method, attempt) => {
      const { id } = await withDamagedResult("select range as profiled from range(10000)");
      return attempt(server, method, { queryRunId: id, column: "profiled" });
    },
    QueryRunResultsExpired: async (method, attempt) => {
      const { id } = await server.run("select 'soon gone, as well' as word", { resultTTLHours: 1 });
      clock.advance(3_600_000);
      return attempt(server, method, { queryRunId: id, column: "word" });
    },
  },
  summarizeQueryRunResults: {
    QueryRunNotFound: call({ queryRunId: "unknown", ...countsOf("n") }),
    QueryRunNotFinished: (method, attempt) =>
      whileHeld((queryRunId) => attempt(server, method, { queryRunId, ...countsOf("held") })),
    InvalidSortColumn: read("select 1 as n", countsOf("colour")),
    DuckDBError: async (method, attempt) => {
      const { id } = await withDamagedResult("select range as summarized from range(10000)");
      return attempt(server, method, { queryRunId: id, ...countsOf("summarized") });
    },
    QueryRunResultsExpired: async (method, attempt) => {
      const { id } = await server.run("select 'soon gone, like the others' as word", { resultTTLHours: 1 });
      clock.advance(3_600_000);
      return attempt(server, method, { queryRunId: id, ...countsOf("word") });
    },
  },
};

function countsOf(column: string): object {
  return { groupBy: [{ column }], measures: [{ function: "count" }] };
}

/** Methods of the OpenRPC document, with each error that they list. */
export const listed = document.methods.flatMap(({ name, errors }) =>
  errors.map(({ $ref }) => [name, $ref.replace("#/components/errors/", "")] as const),
);

/** Returns the call that provokes an error of a method. The file of the test calls {@link useProvocations}. */
export function provocationOf(method: string, errorName: string): Provocation {
  const provoke = provocations[method]?.[errorName] ?? ofEachMethod[errorName];
  if (provoke === undefined) throw new Error(`${method} lists ${errorName}, which nothing here gets from the service`);
  return provoke;
}

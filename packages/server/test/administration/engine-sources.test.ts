import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type EngineResult, type Source, type SourceKindContext, StatementError } from "@quern/adapter";
import { engineSourcesOf } from "@quern/duckdb";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { checkEngineSources, connectSource } from "../../src/administration/engine-sources.ts";
import { readSecret } from "../../src/sources/secret.ts";
import { installPackages } from "../adapters/fake-packages.ts";
import { idleKind } from "../fixture.ts";

/** Functions of the package `echo-adapter`, which the test replaces. */
const adapter = {
  createSourceKind: (_: unknown): unknown => undefined,
  checkSource: (_: unknown): void => {},
  checkStatements: (_: unknown): readonly string[] => ["SELECT 1"],
};

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await installPackages({
    "echo-adapter": {
      createSourceKind: (context) => adapter.createSourceKind(context),
      checkSource: (source) => adapter.checkSource(source),
      checkStatements: (source) => adapter.checkStatements(source),
    },
  });
  dataDir = join(folder, "data");
  await mkdir(dataDir);
});
afterEach(() => void vi.restoreAllMocks());

const adapters = { echo: "echo-adapter" };
const address = "echo://reader@host/data";

/** Lets the adapter execute statements with a result, and records what it is asked for. */
function executing(result: () => Promise<EngineResult>) {
  const seen: unknown[] = [];
  let context: SourceKindContext | undefined;
  vi.spyOn(adapter, "createSourceKind").mockImplementation((given) => {
    context = given as SourceKindContext;
    return {
      ...idleKind,
      hold: async () => ({ revision: "7", release: async () => void seen.push("data") }),
      async begin({ sql, tenantId, userId, limits, attempt, runId }: Record<string, unknown>) {
        seen.push({ sql, tenantId, userId, limits, attempt, runId });
        const release = async () => void seen.push("execution");
        return { engineQueryId: null, progress: () => null, result, release };
      },
      close: async () => void seen.push("kind"),
    };
  });
  return { seen, workDirectory: () => context?.workDirectory ?? "" };
}

const connect = (source: string, change: object = {}) =>
  connectSource({ dataDir, source }, { kind: "echo", from: address, adapters, ...change });
const check = (options: { userId?: string; tenantId?: string } = {}, source?: string) =>
  checkEngineSources(dataDir, source, { adapters, ...options });

it("adds a source with an address or a path after the adapter has checked it", async () => {
  const { workDirectory } = executing(() => Promise.reject(new Error("not here")));
  const checkSource = vi.spyOn(adapter, "checkSource");
  const password = { file: "/secret" };
  await connect("lake", { password, runAs: "user", tenant: "acme" });
  await connect("local", { from: "some/file.db" });
  await connect("drive", { from: "c:\\file.db" });
  await connect("other", { from: "files/echo://data" });
  expect(engineSourcesOf(dataDir)).toMatchObject([
    { name: "drive", kind: "echo", path: join(folder, "c:\\file.db") },
    { name: "lake", kind: "echo", address, password, runAs: "user", tenant: "acme" },
    { name: "local", kind: "echo", path: join(folder, "some/file.db") },
    { name: "other", kind: "echo", path: join(folder, "files/echo:/data") },
  ]);
  expect(checkSource.mock.calls[0]).toMatchObject([
    { name: "lake", provider: "quern", kind: "echo", address, runAs: "user", lowerCaseColumns: false },
  ]);
  expect(adapter.createSourceKind).toHaveBeenCalledWith({ secret: readSecret, workDirectory: expect.any(String) });
  expect(existsSync(workDirectory())).toBe(false);
});

it("adds no source that the adapter refuses, and reports it in one line without the last period", async () => {
  executing(() => Promise.reject(new Error("not here")));
  vi.spyOn(adapter, "checkSource").mockImplementation(() => {
    throw new Error("Invalid db.example;\n  name a port,\n  such as 1.");
  });
  await expect(connect("lake")).rejects.toMatchObject({
    name: "SourceError",
    message: "Invalid db.example; name a port, such as 1",
  });
  expect(engineSourcesOf(dataDir)).toEqual([]);
});

it.each([
  [{ from: "echo:/reader:word@host" }, "the address contains a password"],
  [{ from: "ECHO://reader:word@host" }, "the address contains a password"],
  [
    { kind: "ecko" },
    "Unknown kind of data sources: ecko; name its package in the setting adapters. Did you mean echo?",
  ],
  [{ password: { variable: "QUERN_PASSWORD" } }, "Invalid --password-variable: QUERN_PASSWORD; choose a name without"],
])("refuses a source with %j", async (change, message) => {
  await expect(connect("lake", change)).rejects.toThrow(message);
});

it("adds no source on which users of two tenants could have the same login", async () => {
  executing(() => Promise.reject(new Error("not here")));
  const message = "Invalid data source lake: users with the same id in two tenants would have one login on its engine";
  await expect(connect("lake", { runAs: "user" })).rejects.toThrow(message);
  expect(engineSourcesOf(dataDir)).toEqual([]);
});

it("allows a variable that has the prefix of the settings within its name", async () => {
  executing(() => Promise.reject(new Error("not here")));
  await connect("lake", { password: { variable: "MY_QUERN_PASSWORD" } });
  expect(engineSourcesOf(dataDir)).toHaveLength(1);
});

async function* of<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
}

it.each([
  ["rows", () => ({ form: "rows", columns: [], rows: of([1]) })],
  ["encoded", () => ({ form: "encoded", columns: [], parts: of(of(Buffer.from("a"))) })],
  ["parquet", () => ({ form: "parquet", columns: [], file: async () => ({ path: "", rowCount: 1 }) })],
])("checks a source with a small statement whose result is %s, and releases all", async (_, result) => {
  const { seen, workDirectory } = executing(async () => result() as unknown as EngineResult);
  await connect("lake");
  seen.length = 0;
  expect(await check()).toEqual([{ source: "lake", table: "SELECT 1", rows: 1, ok: true, problem: null }]);
  const limits = { timeoutSeconds: 30, maxResultBytes: 1e6, maxResultRows: 10 };
  const statement = {
    sql: "SELECT 1",
    tenantId: "operator",
    userId: "operator",
    limits,
    attempt: 1,
    runId: "run_check",
  };
  expect(seen).toEqual([statement, "execution", "data", "kind"]);
  expect(existsSync(workDirectory())).toBe(false);
});

it.each([
  ["rows", () => ({ form: "rows", columns: [], rows: failing() })],
  ["encoded", () => ({ form: "encoded", columns: [], parts: of(failing()) })],
  ["parquet", () => ({ form: "parquet", columns: [], file: () => failing().next() })],
])("reports a source whose result (%s) fails while it is read, and releases all", async (_, result) => {
  const { seen } = executing(async () => result() as unknown as EngineResult);
  await connect("lake");
  seen.length = 0;
  const problem = "no such table; a";
  expect(await check()).toEqual([{ source: "lake", table: "SELECT 1", rows: null, ok: false, problem }]);
  expect(seen.slice(1)).toEqual(["execution", "data", "kind"]);
});

async function* failing(): AsyncGenerator<never> {
  yield* [];
  throw new StatementError({ name: "X", message: "no such table;\n  a", data: { category: "USER" } });
}

it("checks a source that runs statements as the user in the name of a user only", async () => {
  const { seen } = executing(async () => ({ form: "rows", columns: [], rows: of([1]) }) as unknown as EngineResult);
  await connect("lake", { runAs: "user", tenant: "acme" });
  await connect("many", { runAs: "user", from: "echo://{tenant}.{user}@host" });
  await connect("shared");
  const problem = "its statements run in the name of the user; name one in --user";
  expect(await check()).toMatchObject([
    { source: "lake", ok: false, problem },
    { source: "many", ok: false, problem },
    { source: "shared", ok: true },
  ]);
  seen.length = 0;
  expect(await check({ userId: "ann" }, "lake")).toMatchObject([{ source: "lake", ok: true }]);
  expect(seen[0]).toMatchObject({ userId: "ann", tenantId: "acme" });
  const unnamed = "its statements run in the name of the tenant; name one in --tenant";
  expect(await check({ userId: "ann" }, "many")).toMatchObject([{ ok: false, problem: unnamed }]);
  seen.length = 0;
  expect(await check({ userId: "ann", tenantId: "other" }, "many")).toMatchObject([{ ok: true }]);
  expect(seen[0]).toMatchObject({ userId: "ann", tenantId: "other" });
});

it("runs the statements with which an adapter checks a source, and reports the one that fails", async () => {
  const begun: string[] = [];
  vi.spyOn(adapter, "checkStatements").mockReturnValue(["SELECT 1", "SHOW SCHEMAS FROM hive", "SELECT 2"]);
  vi.spyOn(adapter, "createSourceKind").mockImplementation(() => ({
    ...idleKind,
    async begin({ sql }: { readonly sql: string }) {
      begun.push(sql);
      if (sql.includes("hive")) throw new Error("Catalog 'hive' not found");
      const rows = [] as never;
      return {
        engineQueryId: null,
        progress: () => null,
        result: async () => ({ form: "rows", rows }),
        release: async () => {},
      };
    },
  }));
  await connect("lake");
  expect(await check()).toMatchObject([{ source: "lake", ok: false, problem: "Catalog 'hive' not found" }]);
  expect(begun).toEqual(["SELECT 1", "SHOW SCHEMAS FROM hive"]);
});

it("lets the adapter check a source before the statement", async () => {
  executing(() => Promise.reject(new Error("not here")));
  await connect("lake");
  vi.spyOn(adapter, "checkSource").mockImplementation((source) => {
    throw new Error(`Invalid ${(source as Source).name}`);
  });
  expect(await check()).toMatchObject([{ ok: false, problem: "Invalid lake" }]);
});

it("reports a source that does not answer within 30 seconds", async () => {
  const began = Promise.withResolvers<void>();
  executing(() => {
    began.resolve();
    return new Promise(() => {});
  });
  await connect("lake");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const checked = check();
  await began.promise;
  await vi.advanceTimersByTimeAsync(29_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await checked).toMatchObject([{ ok: false, problem: "it did not answer within 30 seconds" }]);
});

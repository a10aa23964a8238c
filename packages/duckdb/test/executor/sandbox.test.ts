import { hash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { type Engine, type EngineOptions, openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import { createStateGuard } from "../../src/executor/state-guard.ts";
import { ownDirectoryNames } from "../../src/processes/child-directory.ts";
import { inDuckDB } from "../sources/data.ts";

let directory: string;
let opened: Sandbox[];
beforeEach(async () => {
  directory = await temporaryDirectory();
  opened = [];
});
afterEach(async () => {
  for (const { connection } of opened) connection.closeSync();
  await rm(directory, { recursive: true });
});

const limits = { threads: 2, memoryMegabytes: 100, spillMegabytes: 10 };
const open = (options: Partial<EngineOptions> = {}) =>
  openEngine({ directory, ...limits, isolation: "user", ...options });

async function begin(engine: Engine, ...[databases = [], sql = "", objects]: Partial<Parameters<Engine["begin"]>>) {
  const sandbox = await engine.begin(databases, sql, objects);
  opened.push(sandbox);
  return sandbox;
}
const values = async ({ connection }: Sandbox, sql: string) =>
  (await connection.runAndReadAll(sql)).getRows().flat().map(String);

async function shop(...statements: readonly string[]) {
  const path = join(directory, "..", `${directory.split("/").at(-1)}.duckdb`);
  await inDuckDB(path, ...statements);
  return { name: "shop", path, [Symbol.asyncDispose]: () => rm(path) };
}

it("locks the settings of an engine, and limits what it uses", async () => {
  const sandbox = await begin(await open());
  const names = [
    "access_mode",
    "threads",
    "memory_limit",
    "temp_directory",
    "max_temp_directory_size",
    "TimeZone",
    "autoinstall_known_extensions",
    "autoload_known_extensions",
    "allow_community_extensions",
    "allow_unsigned_extensions",
    "allow_persistent_secrets",
    "home_directory",
    "errors_as_json",
    "allowed_directories",
    "enable_external_access",
    "lock_configuration",
    "enable_progress_bar",
    "enable_progress_bar_print",
  ];
  const settings = names.map((name) => `current_setting('${name}')`).join(", ");
  // The engine follows the link to the own directory of a process.
  const folders = [directory, process.cwd()].map((path) => join(path, "out/"));
  expect(await values(sandbox, `SELECT ${settings}`)).toEqual([
    "read_only",
    "1",
    "95.3 MiB",
    join(directory, "spill"),
    "9.5 MiB",
    "UTC",
    "false",
    "false",
    "false",
    "false",
    "false",
    directory,
    "true",
    expect.stringContaining(folders[0] ?? ""),
    "false",
    "true",
    "true",
    "false",
  ]);
  const [allowed = ""] = await values(sandbox, "SELECT current_setting('allowed_directories')");
  for (const folder of folders) expect(allowed).toContain(folder);
});

it("opens the database of an earlier engine, or creates one in its directory", async () => {
  await begin(await open());
  expect((await readdir(directory)).sort()).toEqual(["memory.duckdb", "out", "spill"]);
  const other = join(directory, "other");
  await mkdir(other);
  const emptyDatabase = join(directory, "memory.duckdb");
  const sandbox = await begin(await open({ directory: other, emptyDatabase }));
  expect((await readdir(other)).sort()).toEqual(["out", "spill"]);
  expect(await values(sandbox, "SELECT current_database()")).toEqual(["memory"]);
});

it("attaches the databases once, and uses the first one also for later statements", async () => {
  await using first = await shop("create table t as select 1 as n");
  const engine = await open();
  const one = await begin(engine, [first], "current_query of it's");
  expect(await values(one, "SELECT current_query() || n FROM t")).toEqual(["current_query of it's1"]);
  expect(await engine.finish()).toBe(true);
  const next = await begin(engine, [{ name: "other", path: "/nowhere" }], "Current_Query");
  expect(next.connection).not.toBe(one.connection);
  expect(await values(next, "SELECT current_query() || n FROM t")).toEqual(["Current_Query1"]);
  const paths = [directory, ...ownDirectoryNames, first.path];
  expect([next.servicePaths, engine.servicePaths]).toEqual([paths, paths]);
  expect(next).toMatchObject({ directory, outputDirectory: join(directory, "out") });
  await expect(next.connection.run("INSERT INTO t VALUES (2)")).rejects.toThrow("read-only");
});

it.runIf(process.platform !== "win32")(
  "lets a statement change neither its source nor the empty database, by any path that the engine allows",
  async () => {
    const shared = join(directory, "shared files");
    await mkdir(shared);
    const [path, emptyDatabase] = [join(shared, "shop.duckdb"), join(shared, "memory.duckdb")];
    await inDuckDB(path, "create table t as select 1 as n");
    await inDuckDB(emptyDatabase);
    // As a program leaves it that was killed.
    await copyFile(path, join(shared, "shop.duckdb.wal"));
    await truncate(join(shared, "shop.duckdb.wal"), 0);
    const own = join(directory, "own");
    const contents = async () => {
      const names = (await readdir(shared)).sort();
      return Promise.all(names.map(async (name) => [name, hash("sha256", await readFile(join(shared, name)))]));
    };
    const before = await contents();
    for (const isolation of ["user", "instance"] as const) {
      await mkdir(own);
      const engine = await open({ directory: own, emptyDatabase, isolation });
      await begin(engine, [{ name: "shop", path }]);
      expect(await engine.finish()).toBe(true); // the next statement of the isolation opens the files again
      const sandbox = await begin(engine, [{ name: "shop", path }]);
      expect(await values(sandbox, "SELECT n FROM t")).toEqual(["1"]);
      const allowed = await values(sandbox, "SELECT unnest(current_setting('allowed_paths'))");
      expect(allowed).toHaveLength(8);
      const attempt = (sql: string) => sandbox.connection.run(sql).catch(() => {});
      await attempt("USE memory; DETACH shop");
      for (const target of [...allowed, ...before.map(([name = ""]) => join(shared, name))]) {
        await attempt(`COPY (SELECT 1) TO '${target}'`);
        await attempt(`COPY (SELECT 1) TO '${target}' (USE_TMP_FILE false)`);
        await attempt(`ATTACH '${target}' AS again (READ_WRITE); CREATE TABLE again.x AS SELECT 1`);
        await attempt("USE memory; DETACH again");
      }
      expect([isolation, await contents()]).toEqual([isolation, before]);
      await rm(own, { recursive: true });
    }
  },
);

it.each([
  ["create view current as select current_query() as text", "SELECT text FROM current", "later"],
  ["create macro current() as 'now: ' || CURRENT_QUERY()", "SELECT current()", "now: later"],
  ["create view current as select 1 as text", "SELECT current_query()", "SELECT current_query()"],
  [
    "create view current as select current_query() as text; create macro duckdb_views() as table select true as internal, '' as sql",
    "SELECT text FROM current",
    "later",
  ],
])("has the text of a statement for a source with %s", async (objects, statement, text) => {
  await using source = await shop("create table t as select 1 as n", ...objects.split("; "));
  const engine = await open();
  await begin(engine, [source], "first");
  const known = await engine.objects();
  expect(await engine.finish()).toBe(true);
  expect(await values(await begin(engine, [source], "later", known), statement)).toEqual([text]);
});

it("has one thread for each statement, and more once they are needed", async () => {
  const engine = await open();
  for (let turn = 0; turn < 2; turn += 1) {
    const sandbox = await begin(engine);
    const threads = () => values(sandbox, "SELECT current_setting('threads')");
    expect([sandbox.threads.hasMore, await threads()]).toEqual([true, ["1"]]);
    await sandbox.threads.useAll();
    expect([sandbox.threads.hasMore, await threads()]).toEqual([false, ["2"]]);
    expect(await engine.finish()).toBe(true);
  }
  await (await begin(engine)).connection.run("SET threads = 3");
  expect(await engine.finish()).toBe(false);
});

it("has no other thread if it has one in all, and leaves the number locked", async () => {
  const { connection, threads } = await begin(await open({ threads: 1 }));
  expect(threads.hasMore).toBe(false);
  await threads.useAll();
  await expect(connection.run("SET threads = 3")).rejects.toThrow("locked");
});

it.each(["instance", "run"] as const)(
  "opens a new engine for each statement by the isolation %s",
  async (isolation) => {
    await using first = await shop("create table t as select 1 as n");
    const engine = await open({ isolation });
    const { connection } = await engine.begin([first], "");
    await connection.run("SET VARIABLE x = 1");
    expect(await engine.finish()).toBe(true);
    const paths = [directory, ...ownDirectoryNames];
    expect(engine.servicePaths).toEqual(paths);
    const next = await begin(engine);
    expect(await values(next, "SELECT database_name FROM duckdb_databases() WHERE NOT internal")).toEqual(["memory"]);
    expect(next.servicePaths).toEqual(paths);
  },
);

it("removes the result, and is not clean with another file, of which shared ones are none", async () => {
  const engine = await open();
  await begin(engine);
  await writeFile(join(directory, "out/result.parquet"), "");
  await mkdir(join(directory, "shared"));
  await writeFile(join(directory, "shared/data"), "");
  expect(await engine.finish()).toBe(true);
  await expect(stat(join(directory, "out/result.parquet"))).rejects.toThrow("ENOENT");
  await writeFile(join(directory, "shared.2"), "");
  expect(await engine.finish()).toBe(false);
  await rm(join(directory, "shared.2"));
  expect(await engine.finish()).toBe(true);
});

it("notices a change of the state of an engine, and its end", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const guard = await createStateGuard(instance);
  await guard.record();
  /** Changes of settings are noticed after one of eight statements. */
  const isNoticed = async (): Promise<boolean> => {
    for (let statement = 0; statement < 8; statement += 1) if (!(await guard.isUnchanged())) return true;
    return false;
  };
  expect(await isNoticed()).toBe(false);
  for (const [change, undo] of [
    ["SET GLOBAL memory_limit = '123MB'", "RESET GLOBAL memory_limit"],
    ["ATTACH ':memory:' AS other", "DETACH other"],
    ["CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')", "DROP SECRET s"],
  ] as const) {
    await connection.run(change);
    expect([change, await isNoticed()]).toEqual([change, true]);
    await connection.run(undo);
    await guard.record();
    expect(await isNoticed()).toBe(false);
  }
  await connection.run("CALL enable_logging()");
  await connection.run("SELECT write_log('left')");
  await connection.run("CALL disable_logging()");
  expect(await guard.isUnchanged()).toBe(false);
  connection.closeSync();
});

it("closes each connection and engine that it no longer needs", async () => {
  const spies = [DuckDBConnection, DuckDBInstance].map(({ prototype }) => vi.spyOn(prototype, "closeSync"));
  const closed = () => spies.map((spy) => spy.mock.calls.length);
  const shared = await open();
  expect(closed()).toEqual([1, 1]); // of the settings, and of the new database
  await shared.finish();
  expect(closed()).toEqual([2, 1]);
  const emptyDatabase = join(directory, "memory.duckdb");
  const own = await open({ isolation: "run", emptyDatabase });
  expect(closed()).toEqual([3, 1]);
  await own.finish();
  expect(closed()).toEqual([5, 2]);
  for (const spy of spies) spy.mockRestore();
});

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError } from "@quern/adapter";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { createProcessExecutor, type DuckDBExecutorOptions, type Executor } from "../../src/executor/executor.ts";
import type { Isolation } from "../../src/executor/task.ts";
import { inDuckDB } from "../sources/data.ts";
import { statementLimits } from "./statement-limits.ts";

// The built package is used, because its processes start faster than from sources.
const gated = new URL("../../dist/executor/worker.js", import.meta.url);
const ungated = new URL("../hostile/ungated-worker.ts", import.meta.url);
const never = new AbortController().signal;
const caps = { maxResultBytes: 1e9, maxResultRows: 1e9 };

let executor: Executor;
let workDirectory: string;
async function open(options: Partial<DuckDBExecutorOptions> = {}, module = gated): Promise<void> {
  workDirectory = await temporaryDirectory();
  executor = createProcessExecutor(module, { workDirectory, warmProcesses: 0, ...statementLimits, ...options });
}

interface Run {
  readonly owner?: string;
  readonly revision?: string;
  readonly databases?: readonly { readonly name: string; readonly path: string }[];
}

/** Runs a statement. Returns the name of the directory of its process. */
async function run(sql: string, { owner = "ann", revision = "1", databases = [] }: Run = {}): Promise<string> {
  const query = { sql, parameters: null, owner, revision, databases };
  const written = await executor.execute(query, caps, never);
  await written.release();
  return String(written.path)
    .slice(workDirectory.length + 1)
    .split("/", 1)
    .join();
}

/** Runs a statement that fails. Returns the name of the failure. */
async function failure(sql: string): Promise<string> {
  const query = { sql, parameters: null, owner: "ann", revision: "1", databases: [] };
  return executor.execute(query, caps, never).then(
    () => "none",
    (error: { failure: { name: string } }) => error.failure.name,
  );
}

/** Runs a statement. Returns the number of its rows. */
async function rowCount(sql: string): Promise<number> {
  const query = { sql, parameters: null, owner: "ann", revision: "1", databases: [] };
  const written = await executor.execute(query, caps, never);
  await written.release();
  return written.rowCount;
}

/** Returns the names of the directories of processes. */
const started = async () => (await readdir(workDirectory)).filter((name) => name.startsWith("worker-"));

describe("processes of statements", () => {
  afterEach(() => executor.close());

  it("serve the statements of one user, and of no other", async () => {
    await open();
    const first = await run("select 1");
    expect(await run("select 2")).toBe(first);
    const other = await run("select 1", { owner: "ben" });
    expect(other).not.toBe(first);
    expect([await run("select 3"), await run("select 3", { owner: "ben" })]).toEqual([first, other]);
  });

  it("serve descriptions, tables and completions of their user, too", async () => {
    await open();
    const query = { sql: "select 1 as n", parameters: null, owner: "ann", revision: "1", databases: [] };
    await executor.describe(query, never);
    const [only] = await started();
    expect(await executor.tables(query, never)).toEqual([]);
    expect((await executor.complete({ ...query, sql: "sele" }, 4, never)).length).toBeGreaterThan(0);
    expect(await run("select 1")).toBe(only);
  });

  it("run two statements of one user side by side", async () => {
    await open();
    expect(new Set(await Promise.all([run("select 1"), run("select 2")])).size).toBe(2);
  });

  it.each<[Isolation, boolean]>([
    ["user", true],
    ["instance", true],
    ["run", false],
  ])("are reused or not by the isolation %s", async (isolation, isReused) => {
    await open({ isolation });
    const first = await run("select 1");
    expect((await run("select 1")) === first).toBe(isReused);
  });

  it("end when the data of their source changes, and then show the new data", async () => {
    await open();
    const [before, after] = ["before.duckdb", "after.duckdb"].map((name) =>
      join(workDirectory, "..", `${Date.now()}-${name}`),
    );
    await inDuckDB(before ?? "", "create table t as select 1 as n");
    await inDuckDB(after ?? "", "create table t as select 'new' as text");
    const databases = (path = "") => [{ name: "shop", path }];
    const first = await run("select n from t", { databases: databases(before) });
    expect(await run("select n from shop.t", { databases: databases(before) })).toBe(first);
    const next = await run("select text from t", { databases: databases(after), revision: "2" });
    expect(next).not.toBe(first);
    await eventually(async () => !(await started()).includes(first));
  });

  it("stay after an error of a statement, and end after one of the engine or an interrupt", async () => {
    await open({ memoryMegabytes: 100 });
    const first = await run("select 1");
    expect(await failure("select nothing")).toBe("BinderError");
    expect(await failure("select 'a'::int")).toBe("ConversionError");
    expect(await failure("drop table t")).toBe("StatementNotAllowed");
    expect(await run("select 2")).toBe(first);
    expect(await failure("select max(x) from (select list(range::varchar) as x from range(50000000))")).toMatch(
      /OutOfMemory|LimitExceeded/,
    );
    const second = await run("select 3");
    expect(second).not.toBe(first);
    const abort = new AbortController();
    const query = { sql: "select count(*) from range(1000000000) a, range(1000000000) b", parameters: null };
    const data = { owner: "ann", revision: "1", databases: [] };
    const call = executor.execute({ ...query, ...data }, caps, abort.signal);
    abort.abort("enough");
    await expect(call).rejects.toBe("enough");
    expect(await run("select 4")).not.toBe(second);
  });

  it("end once they have used the processor time that one statement may use", async () => {
    const busy = new URL("./busy-worker.ts", import.meta.url);
    await open({ statementTimeoutSeconds: 1, threads: 1 }, busy); // 61 s for each of two threads
    const first = await run("select 1");
    expect([await run("select 2"), await run("select 3")]).toEqual([first, first]);
    expect(await run("select 4")).not.toBe(first);
  });

  it("have ended when the executor is closed, also those that get or have just ended a statement", async () => {
    await open({ warmProcesses: 1 });
    await run("select 1", { owner: "ben" });
    const query = { sql: "select 1", parameters: null, owner: "ann", revision: "1", databases: [] };
    const written = await executor.execute(query, caps, never);
    const released = written.release();
    const [warm, idle] = ["cid", "ben"].map((owner) => executor.execute({ ...query, owner }, caps, never));
    const lost = [expect(warm).rejects.toThrow(EngineLostError), expect(idle).rejects.toThrow(EngineLostError)];
    await executor.close();
    expect(await started()).toEqual([]);
    await Promise.all([released, ...lost]);
  });

  it("read a file whose name was removed after the first statement", async () => {
    await open();
    const path = join(workDirectory, "..", `${Date.now()}-linked.duckdb`);
    await inDuckDB(path, "create table t as select range as n from range(300000)");
    const databases = [{ name: "shop", path }];
    const first = await run("select 1", { databases });
    await rm(path);
    expect(await run("select sum(n) from t", { databases })).toBe(first);
  });

  it("show the next statement no type of a PIVOT, and stay", async () => {
    await open();
    const first = await run("pivot (select 1 as a, 2 as b) on a using sum(b)");
    expect(await rowCount("from duckdb_types where type_name like '__pivot%'")).toBe(0);
    expect(await run("select 1")).toBe(first);
  });
});

describe("a process that a statement has changed", () => {
  // All tests share the processes of one executor, because each process takes a fifth of a second to start.
  beforeAll(() => open({}, ungated));
  afterAll(() => executor.close());

  it.each([
    ["a macro", "create macro memory.main.m() as 1"],
    ["a table", "create table memory.main.t as select 1 as n"],
    ["a view", "create view memory.main.v as select 1 as n"],
    ["a type", "create type memory.main.colour as enum ('red')"],
    ["a sequence", "create sequence memory.main.s"],
    ["a schema", "create schema memory.other"],
    ["a database", "attach ':memory:' as other"],
    ["a hidden database", "attach ':memory:' as other (hidden)"],
    ["an object of the engine", "create macro system.main.m() as 1"],
  ])("is never one: a statement cannot create %s", async (_, sql) => {
    const first = await run("select 1");
    expect(await failure(sql)).toMatch(/^(InvalidInput|Catalog|Binder)Error$/);
    expect(await run("select 2")).toBe(first);
  });

  it.each([
    ["a secret", "create secret s (type http, bearer_token 'x')"],
    ["a log", "call enable_logging()"],
    ["a log that is disabled again", "call enable_logging(); select write_log('left'); call disable_logging()"],
    ["a file", "copy (select 1) to 'out/left.csv'"],
  ])("ends: %s", async (_, sql) => {
    const first = await run("select 1");
    expect(await failure(sql)).toBe("WasRun");
    expect(await run("select 2")).not.toBe(first);
  });

  it.each([
    ["a variable", "set variable x = 1", "select 1 where getvariable('x') is not null"],
    ["a temporary table", "create temp table t as select 1", "from duckdb_tables()"],
    ["a temporary macro", "create temp macro m() as 1", "from duckdb_functions() where function_name = 'm'"],
    ["a prepared statement", "prepare p as select 1", "from duckdb_prepared_statements()"],
    ["a profile", "pragma enable_profiling", "from duckdb_settings() where name = 'enable_profiling' and value <> ''"],
    ["a transaction", "begin", "select 1 where false"],
  ])("shows the next statement none of it: %s", async (_, sql, look) => {
    await run("select 1");
    expect(await failure(sql)).toBe("WasRun");
    expect(await rowCount(look)).toBe(0);
  });
});

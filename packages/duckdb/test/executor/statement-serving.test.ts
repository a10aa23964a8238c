import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import { inDuckDB } from "../sources/data.ts";

let handlers: Readonly<Record<string, TaskHandler>>;
vi.mock("../../src/processes/serving.ts", async (load) => ({
  ...(await load<object>()),
  serveParent(served: typeof handlers) {
    handlers = served;
  },
}));
// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { serveStatements } = await import("../../src/executor/statement-serving.ts");
const { admit } = await import("../../src/executor/gate.ts");

const before = process.cwd();
const never = new AbortController().signal;
let directory: string;
let databases: { readonly name: string; readonly path: string }[];
const call = (task: string, argument?: unknown, signal = never, report = (_: number): void => {}) =>
  Promise.resolve(handlers[task]?.(argument, signal, report));
const caps = { maxResultBytes: 1e9, maxResultRows: 1e9, parameters: null };
const execute = (sql: string, change: object = {}, ...rest: [signal?: AbortSignal, report?: (share: number) => void]) =>
  call("execute", { sql, databases, ...caps, ...change }, ...rest);

beforeAll(async () => {
  directory = await temporaryDirectory();
  databases = [{ name: "shop", path: join(directory, "shop.duckdb") }];
  await inDuckDB(join(directory, "shop.duckdb"), "create table orders as select 7 as id");
  await mkdir(join(directory, "own"));
  process.chdir(join(directory, "own")); // a statement writes its result below the working directory of its process
  serveStatements(admit);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await call("finish");
});
afterAll(async () => {
  process.chdir(before);
  await rm(directory, { recursive: true });
});

it("performs no task before its engine is open", async () => {
  for (const task of ["execute", "finish"])
    await expect(call(task, { sql: "", databases: [] })).rejects.toThrow("The engine is not open: call open first.");
  const options = { threads: 1, memoryMegabytes: 200, spillMegabytes: 10, isolation: "user" };
  await expect(call("open", { ...options, threads: 0, directory: join(directory, "own") })).rejects.toThrow();
  expect(await call("open", { ...options, directory: join(directory, "own") })).toBeUndefined();
});

it("executes a statement, and is clean when it is finished", async () => {
  expect(await execute("select id as n from orders where id = $1", { parameters: [7] })).toEqual({
    rowCount: 1,
    columns: [{ name: "n", kind: "number", engineType: "INTEGER" }],
  });
  expect(await call("finish")).toEqual({ isClean: true, processorSeconds: expect.any(Number) });
  vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 1_500_000, system: 1_000_000 });
  await writeFile("left", "");
  expect(await call("finish")).toEqual({ isClean: false, processorSeconds: 2.5 });
  await rm("left");
});

it("executes EXPLAIN, whose plan has no path of the service", async () => {
  const sql = `explain select '${join(directory, "own")}' || id from orders`;
  const text = { kind: "string", engineType: "VARCHAR" };
  expect(await execute(sql)).toMatchObject({
    rowCount: 1,
    columns: ["explain_key", "explain_value"].map((name) => ({ name, ...text })),
  });
  expect(await call("describe", { sql, databases })).toMatchObject({ columns: { length: 2 }, parameters: [] });
});

it("describes a statement, lists tables and completes the text before a position", async () => {
  expect(await call("describe", { sql: "select id, $1::date as day from orders", databases })).toEqual({
    columns: [
      { name: "id", kind: "number", engineType: "INTEGER" },
      { name: "day", kind: "date", engineType: "DATE" },
    ],
    parameters: [{ name: "1", type: "DATE" }],
    hasRowNames: false,
  });
  expect(await call("tables", { databases })).toMatchObject([{ catalog: "shop", schema: "main", name: "orders" }]);
  const completed = await call("complete", { sql: "from ord and more", position: 8, databases });
  expect(completed).toContainEqual({ text: "orders", start: 5, kind: "table" });
});

it.each<[string, object, object]>([
  ["select $1", {}, { name: "ParameterError" }],
  ["select $2", { parameters: [1, 2] }, { name: "ParameterError", message: expect.stringContaining("$1") }],
  ["select $90000000", {}, { name: "ParameterError", message: expect.stringContaining("$1") }],
  ["select 1", { parameters: [1] }, { name: "ParameterError" }],
  ["select 1;\nselect 2", {}, { name: "StatementNotAllowed" }],
  ["select range from range(5)", { maxResultRows: 4 }, { name: "ResultTooLarge" }],
  ["select 1,\n nope", {}, { name: "BinderError", data: { line: 2, column: 2 } }],
  ["select '<path>'::int", {}, { name: "ConversionError" }],
])("fails with the failure of the statement: %s %o", async (sql, change, failure) => {
  const text = sql.replace("<path>", join(directory, "own"));
  const expected = sql.includes("<path>") ? { ...failure, message: expect.stringContaining("'<path>'") } : failure;
  await expect(execute(text, change)).rejects.toMatchObject({ failure: expected });
});

it("reports progress while it changes, and fails when it is aborted", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let percentage = -1;
  const progress = () => ({ percentage, rows_processed: 0n, total_rows_to_process: 0n });
  vi.spyOn(DuckDBConnection.prototype, "progress", "get").mockImplementation(progress);
  const reported: number[] = [];
  const caller = new AbortController();
  const sql = "select count(*) from range(1000000000) a, range(1000000000) b where a.range <> b.range";
  let hasEnded = false;
  const executed = execute(sql, {}, caller.signal, (share) => reported.push(share)).finally(() => {
    hasEnded = true;
  });
  executed.catch(() => {}); // awaited below
  const next = () => new Promise((resolve) => setImmediate(resolve));
  while (vi.getTimerCount() < 2) await next(); // of the progress, and of the cap
  vi.advanceTimersByTime(499);
  percentage = 0;
  vi.advanceTimersByTime(1);
  for (const value of [0, 50, 50, -1, 50, 99.5, 150]) {
    percentage = value;
    vi.advanceTimersByTime(500);
  }
  expect(reported).toEqual([0, 0.5, 0.995, 1]);
  caller.abort("enough");
  while (!hasEnded) {
    vi.advanceTimersByTime(20);
    await next();
  }
  await expect(executed).rejects.toMatchObject({ failure: { name: "INTERRUPTError" } });
  expect(vi.getTimerCount()).toBe(0);
});

it("does not answer a task that is aborted as it ends", async () => {
  const caller = new AbortController();
  caller.abort(new Error("gone"));
  await expect(call("tables", { databases }, caller.signal)).rejects.toMatchObject({ name: "StatementError" });
});

import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResultColumn } from "@quern/query-run/record";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { DownloadTask } from "../../src/download/task.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";

/** Tasks that the worker performs, by their names. */
const handlers: Record<string, TaskHandler> = {};
vi.mock("../../src/processes/serving.ts", () => ({
  serveParent: (served: Record<string, TaskHandler>) => Object.assign(handlers, served),
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
await import("../../src/download/worker.ts");

let directory: string;
let target: string;
let pipe: number;
beforeAll(async () => {
  directory = await temporaryDirectory();
  target = join(directory, "pipe");
  execFileSync("mkfifo", [target]);
  pipe = openSync(target, constants.O_RDWR | constants.O_NONBLOCK);
  const rows = `SELECT range AS c0, '{"n": ' || range || '}' AS c1 FROM range(3)`;
  await inDuckDB(":memory:", `COPY (${rows}) TO '${join(directory, "rows.parquet")}' (FORMAT parquet)`);
});
afterAll(async () => {
  closeSync(pipe);
  await rm(directory, { recursive: true });
});

/** Returns the bytes that the pipe has. */
function piped(): Buffer {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.subarray(0, readSync(pipe, bytes));
  } catch {
    return Buffer.alloc(0); // it has none
  }
}

const number: ResultColumn = { name: 'a "name"', kind: "number", engineType: "BIGINT" };
const json: ResultColumn = { ...number, kind: "object", engineType: "JSON" };

/** Writes a download and returns its bytes. */
async function downloaded(change: Partial<DownloadTask>): Promise<Buffer> {
  const task: DownloadTask = {
    paths: [join(directory, "rows.parquet")],
    columns: [number, json],
    rowCount: 3,
    totalBytes: 1_000,
    target,
    spillMegabytes: 10,
    format: "csv",
    ...change,
  };
  await handlers.download?.(task, new AbortController().signal, () => {});
  return piped();
}

it.each(["csv", "ndjson", "arrow"] as const)(
  "keeps byte order marks in %s, in texts and inside other values",
  async (format) => {
    const path = join(directory, "marks.parquet");
    const words = "ENUM('d', '\uFEFFd')";
    const values = `'\uFEFFa' AS c0, ['\uFEFFb'] AS c1, {'x': '\uFEFFc'} AS c2, '\uFEFFd'::${words} AS c3`;
    await inDuckDB(":memory:", `COPY (SELECT ${values}) TO '${path}' (FORMAT parquet)`);
    const columns = ["VARCHAR", "VARCHAR[]", 'STRUCT("x" VARCHAR)', words].map(
      (engineType, index): ResultColumn => ({ name: `c${index}`, kind: "string", engineType }),
    );
    const bytes = await downloaded({ format, columns, paths: [path], rowCount: 1 });
    for (const letter of "abcd") expect(bytes.includes(Buffer.from(`\uFEFF${letter}`)), letter).toBe(true);
  },
);

it.each([
  ["csv", [number], ['"a ""name"""', "0", "1", "2", ""]],
  ["csv", [number, json], ['"a ""name""","a ""name"""', '0,"{""n"": 0}"', '1,"{""n"": 1}"', '2,"{""n"": 2}"', ""]],
  ["ndjson", [number], ['{"a \\"name\\"":0}', '{"a \\"name\\"":1}', '{"a \\"name\\"":2}', ""]],
  [
    "ndjson",
    [number, json],
    [
      '{"a \\"name\\"":0,"a \\"name\\"_2":{"n": 0}}',
      '{"a \\"name\\"":1,"a \\"name\\"_2":{"n": 1}}',
      '{"a \\"name\\"":2,"a \\"name\\"_2":{"n": 2}}',
      "",
    ],
  ],
] as const)("writes %s of the columns %j", async (format, columns, lines) => {
  expect((await downloaded({ format, columns })).toString().split("\n")).toEqual(lines);
});

it("writes Parquet and Arrow with different names for columns of one name", async () => {
  const file = join(directory, "downloaded.parquet");
  await writeFile(file, await downloaded({ format: "parquet" }));
  const described = await readDatabases([], `DESCRIBE FROM read_parquet('${file}')`);
  expect(described.map(([name]) => name)).toEqual(['a "name"', 'a "name"_2']);
  const compressions = `SELECT DISTINCT compression FROM parquet_metadata('${file}')`;
  expect(await readDatabases([], compressions)).toEqual([["ZSTD"]]);
  const table = tableFromIPC(await downloaded({ format: "arrow" }));
  expect([...(table.getChild('a "name"_2') ?? [])]).toEqual(['{"n": 0}', '{"n": 1}', '{"n": 2}']);
});

it("writes no byte of a result without all of its rows", async () => {
  const paths = [join(directory, "rows.parquet"), join(directory, "rows.parquet")];
  await expect(downloaded({ rowCount: 4 })).rejects.toThrow("Incomplete result: its files have 3 of 4 rows.");
  await expect(downloaded({ paths, rowCount: 5 })).rejects.toThrow("Incomplete result: its files have 6 of 5 rows.");
  expect(piped().toString()).toBe("");
  const lines = (await downloaded({ paths, rowCount: 6, columns: [number] })).toString().split("\n");
  expect(lines).toEqual(['"a ""name"""', "0", "1", "2", "0", "1", "2", ""]);
});

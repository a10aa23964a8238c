import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TaskHandler } from "../../src/processes/serving.ts";
import type { WriteAnswer, WriteTask } from "../../src/writer/task.ts";
import { readDatabases } from "../sources/data.ts";

/** Tasks that the worker performs, by their names. */
const handlers: Record<string, TaskHandler> = {};
const directory = mkdtempSync(join(tmpdir(), "quern-writer-"));
vi.mock("../../src/processes/serving.ts", () => ({
  serveParent: (served: Record<string, TaskHandler>) => Object.assign(handlers, served),
}));
// The directory of the process is that of all tests, so the task names the file by its whole path.
vi.mock("../../src/processes/child-directory.ts", () => ({ ownDirectory: "/", ownDirectoryNames: [] }));
vi.mock("../../src/results/output-file.ts", () => ({
  get outputFolder() {
    return join(directory, "out");
  },
  get resultFile() {
    return join(directory, "out", "result.parquet");
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
await import("../../src/writer/worker.ts");

const patient = new AbortController().signal;
const perform = async (task: string, argument: unknown): Promise<unknown> =>
  handlers[task]?.(argument, patient, () => {});

beforeAll(async () => {
  await expect(answerOf("lines", ["BIGINT"], "")).rejects.toThrow("the engine is not open");
  await perform("open", { spillMegabytes: 10 });
});
afterAll(() => rm(directory, { recursive: true }));

async function answerOf(
  encoding: WriteTask["encoding"],
  types: readonly string[],
  text: string,
  change: Partial<WriteTask> = {},
): Promise<WriteAnswer> {
  const file = join(directory, "it's a file");
  await writeFile(file, text);
  const columns = types.map((storedType, index) => ({ name: `n${index}`, engineType: `its ${index}`, storedType }));
  const caps = { maxResultBytes: 1e9, maxResultRows: Number.POSITIVE_INFINITY };
  const task: WriteTask = { encoding, columns, file, isPipe: false, ...caps, ...change };
  return (await perform("write", task)) as WriteAnswer;
}

/** Writes the rows in a text and returns those of the Parquet file. */
async function stored(...task: Parameters<typeof answerOf>): Promise<readonly (readonly unknown[])[]> {
  await answerOf(...task);
  return readDatabases([], `FROM read_parquet('${join(directory, "out", "result.parquet")}')`);
}

describe("rows", () => {
  it("are lines of JSON", async () => {
    const types = ["BIGINT", "VARCHAR", "JSON", "INTEGER[]"];
    expect(await stored("lines", types, '[1,"a",{"b":1},[1,2]]\n[2,"",null,null]\n[null,"[1]","c",[]]\n')).toEqual([
      ["1", "a", '{"b":1}', [1, 2]],
      ["2", "", null, null],
      [null, "[1]", '"c"', []],
    ]);
  });

  it("are arrays of JSON", async () => {
    const types = ["BLOB", "DATE", "TIMESTAMP"];
    const text = '[["aGk=","+12026-01-02","2026-01-02 03:04:05"],\n["", null, null],[null,"2026-01-02",null]]';
    expect(await stored("arrays", types, "[]")).toEqual([]);
    expect(await stored("arrays", types, text)).toEqual([
      ["hi", "12026-01-02", "2026-01-02 03:04:05"],
      ["", null, null],
      [null, "2026-01-02", null],
    ]);
  });

  it("are arrays of JSON with structs as arrays and JSON as text", async () => {
    const types = [
      'STRUCT("a ""b" BIGINT, "c" STRUCT("d" JSON)[])',
      'MAP(INTEGER, STRUCT("x" INTEGER))',
      "JSON",
      "VARCHAR",
    ];
    const rows = '[[[1,[["{\\"e\\": 1}"],null]],{"1":[2],"3":null},"[1]","a"],[null,null,null,null]]';
    expect(await stored("positional-arrays", types, rows)).toEqual([
      [
        { 'a "b': "1", c: [{ d: '{"e": 1}' }, null] },
        [
          { key: 1, value: { x: 2 } },
          { key: 3, value: null },
        ],
        "[1]",
        "a",
      ],
      [null, null, null, null],
    ]);
    await expect(stored("positional-arrays", types.slice(0, 1), "[[[1]]]")).rejects.toMatchObject({
      failure: {
        name: "InvalidValue",
        message: expect.stringContaining("a row within a value does not have 2 values"),
      },
    });
  });

  it.each(["lines", "arrays", "positional-arrays", "csv"] as const)("keep the sign of -0.0: %s", async (encoding) => {
    const types = ["DOUBLE", "FLOAT", "BIGINT", "DECIMAL(5,2)", "DOUBLE[]"];
    const nested = encoding === "csv" ? '"[-0.0]"' : "[-0.0]";
    const row = `-0.0,-0.0,-0.0,-0.0,${nested}`;
    const text = { csv: `${row}\n`, lines: `[${row}]\n`, arrays: `[[${row}]]`, "positional-arrays": `[[${row}]]` };
    expect(await stored(encoding, types, text[encoding])).toEqual([[-0, -0, "0", "0.00", [-0]]]);
  });

  it.each([5_000_000, 8_300_000, 9_000_000])("are CSV with a last row of %d bytes", async (length) => {
    const rows = await stored("csv", ["BIGINT", "VARCHAR"], `${"1,a\n".repeat(999)}2,${"x".repeat(length - 3)}\n`);
    expect([rows.length, rows.at(-1)]).toEqual([1_000, ["2", "x".repeat(length - 3)]]);
  });

  it("are CSV, in which an empty field without quotes is null", async () => {
    const types = ["BIGINT", "VARCHAR", "JSON", "INTEGER[]"];
    expect(await stored("csv", types, '1,"a ""b"",\nc",{},[1]\n2,"",,\n3,,"[1]",\n')).toEqual([
      ["1", 'a "b",\nc', "{}", [1]],
      ["2", "", null, null],
      ["3", null, "[1]", null],
    ]);
    await expect(stored("csv", types, "1,a\n")).rejects.toMatchObject({ failure: { name: "InvalidValue" } });
  });

  it.each([
    ["lines", "[1,2]\n"],
    ["arrays", "[[1,2]]"],
    ["positional-arrays", "[[1,2]]"],
  ] as const)("must have a value for each column: %s", async (encoding, text) => {
    await expect(stored(encoding, ["BIGINT"], text)).rejects.toMatchObject({
      failure: { message: expect.stringMatching(/a row does not have 1 values: \[1, ?2\]/) },
    });
  });
});

it.each([
  ["2026-01-02 03:04:05 +05:30", "2026-01-01 21:34:05+00"],
  ["2026-01-02 03:04:05 -01", "2026-01-02 04:04:05+00"],
  ["+12026-01-02 03:04:05+00", "12026-01-02 03:04:05+00"],
  ["2026-01-02 03:04:05", "2026-01-02 03:04:05+00"],
])("the time %s has an offset after a space or none, and may have a sign", async (text, time) => {
  expect(await stored("lines", ["TIMESTAMP WITH TIME ZONE"], JSON.stringify([text]))).toEqual([[time]]);
});

it("answers with the kinds of the columns and the number of rows", async () => {
  expect(await answerOf("lines", ["BIGINT", "DATE"], '[1,null]\n[2,"2026-01-02"]\n')).toEqual({
    rowCount: 2,
    columns: [
      { name: "n0", engineType: "its 0", storedType: "BIGINT", kind: "number" },
      { name: "n1", engineType: "its 1", storedType: "DATE", kind: "date" },
    ],
  });
});

it("accepts as many rows as the cap, and refuses one more, also if the others would be invalid", async () => {
  const caps = { maxResultRows: 2 };
  expect(await answerOf("lines", ["BIGINT"], "[1]\n[2]\n", caps)).toMatchObject({ rowCount: 2 });
  await expect(answerOf("lines", ["BIGINT"], "[1]\n[2]\n[3]\n", caps)).rejects.toMatchObject({
    failure: { name: "ResultTooLarge", message: expect.stringContaining("more than 2 rows") },
  });
  await expect(answerOf("lines", ["BIGINT"], "[1]\n", { maxResultBytes: 50 })).rejects.toMatchObject({
    failure: { name: "ResultTooLarge", message: expect.stringContaining("more than 50 bytes") },
  });
});

it("stores wide integers as numbers, and as text if one has too many digits, but reads a pipe only once", async () => {
  const digits = "9".repeat(60);
  const described = async (...lines: readonly string[]) => {
    await answerOf("lines", ["BIGNUM"], lines.join("\n"));
    const [column] = await readDatabases(
      [],
      `DESCRIBE FROM read_parquet('${join(directory, "out", "result.parquet")}')`,
    );
    return column?.[1];
  };
  expect(await described("[1]")).toBe("DECIMAL(38,0)");
  expect(await described("[1]", `["${digits}"]`)).toBe("VARCHAR");
  await expect(answerOf("lines", ["BIGNUM"], `["${digits}"]`, { isPipe: true })).rejects.toMatchObject({
    failure: { name: "InvalidValue", message: expect.stringContaining("DECIMAL(38,0)") },
  });
});

it.each(['UNION("n" BIGINT)', "VARIANT", "GEOMETRY"])("has no column of type %s", async (type) => {
  await expect(answerOf("lines", [type], "[1]\n")).rejects.toMatchObject({
    failure: {
      name: "UnsupportedType",
      message: `Unsupported column type: ${type}; cast the column to JSON or VARCHAR.`,
      data: { category: "DATA_SOURCE", retryable: false },
    },
  });
});

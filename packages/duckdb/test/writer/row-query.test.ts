import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { WideIntegers } from "../../src/engine/column-type.ts";
import { ownDirectory } from "../../src/processes/child-directory.ts";
import { resultFile } from "../../src/results/output-file.ts";
import { copyText } from "../../src/writer/row-query.ts";
import type { RowEncoding } from "../../src/writer/task.ts";

let directory: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, "out"));
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

async function typesOf(...names: readonly string[]): Promise<readonly DuckDBType[]> {
  const reader = await connection.runAndReadAll(`SELECT ${names.map((name) => `CAST(NULL AS ${name})`).join(", ")}`);
  return reader.columnTypes();
}

interface Stored {
  readonly maxRows?: number;
  readonly wideIntegers?: WideIntegers;
}

/** Stores the rows of a text. Returns what a query of the result gives. */
async function stored(
  encoding: RowEncoding,
  columns: readonly string[],
  rows: string,
  { maxRows = Number.POSITIVE_INFINITY, wideIntegers = "number" }: Stored = {},
  query = "SELECT *",
): Promise<readonly (readonly unknown[])[]> {
  const file = "it's a file";
  await writeFile(join(directory, file), rows);
  const text = copyText({ encoding, file }, await typesOf(...columns), wideIntegers, maxRows);
  await connection.run(text.replaceAll(`${ownDirectory}/`, `${directory}/`));
  return (await connection.runAndReadAll(`${query} FROM '${join(directory, resultFile)}'`)).getRowsJson();
}

// On other systems the statement has paths relative to the process.
describe.runIf(process.platform === "linux")("stored rows", () => {
  const columns = ["INTEGER", "VARCHAR"];
  const expected = [
    [1, "a"],
    [2, null],
    [null, ""],
  ];

  it.each<[RowEncoding, string]>([
    ["lines", '[1,"a"]\n[2,null]\n[null,""]\n'],
    ["arrays", '[[1,"a"],[2,null],[null,""]]'],
    ["positional-arrays", '[[1,"a"],[2,null],[null,""]]'],
    ["csv", '1,a\n2,\n,""\n'],
  ])("are those of the %s of the file, in order", async (encoding, text) => {
    expect(await stored(encoding, columns, text)).toEqual(expected);
    expect(await stored(encoding, columns, text, { maxRows: 3 })).toEqual(expected);
    expect(await stored(encoding, columns, text, { maxRows: 1 })).toEqual(expected.slice(0, 1));
    expect(await stored(encoding, columns, text, {}, "SELECT sum(c0), count(c1)")).toEqual([["3", "2"]]);
  });

  it.each<[RowEncoding, string]>([
    ["lines", '["123456789012345678901234567890", {"a": [1]}, [1, null]]\n[null, null, null]'],
    ["arrays", '[["123456789012345678901234567890", {"a": [1]}, [1, null]], [null, null, null]]'],
    ["positional-arrays", '[["123456789012345678901234567890", "{\\"a\\": [1]}", [1, null]], [null, null, null]]'],
    ["csv", '123456789012345678901234567890,"{""a"": [1]}","[1, null]"\n,,\n'],
  ])("of %s have their types, and nulls in nested columns", async (encoding, text) => {
    const nested = ["HUGEINT", "JSON", "INTEGER[]"];
    const query = "SELECT typeof(c0), c0::VARCHAR, CAST(c1 AS VARCHAR), c1 IS NULL, c2";
    const rows = (type: string) => [
      [type, "123456789012345678901234567890", expect.stringMatching(/^\{"a": ?\[1\]\}$/), false, [1, null]],
      [type, null, null, true, null],
    ];
    expect(await stored(encoding, nested, text, {}, query)).toEqual(rows("DECIMAL(38,0)"));
    expect(await stored(encoding, nested, text, { wideIntegers: "text" }, query)).toEqual(rows("VARCHAR"));
  });

  it.each<[string, string, unknown]>([
    ["a quote, a comma and a line break", '"a ""b"", c\nd"', 'a "b", c\nd'],
    ["a carriage return and a line break in the first row", '"c\r\nd"', "c\r\nd"],
    ["a carriage return in the first row", '"c\rd"', "c\rd"],
    ["a backslash", '"a\\"', "a\\"],
    ["white space around", " a ", " a "],
    ["the word NULL", "NULL", "NULL"],
    ["an apostrophe", "'a'", "'a'"],
    ["other separators", "a;b|c\td", "a;b|c\td"],
  ])("of CSV keep %s", async (_name, field, value) => {
    expect(await stored("csv", ["VARCHAR", "VARCHAR"], `x,${field}\ny,z\n`)).toEqual([
      ["x", value],
      ["y", "z"],
    ]);
  });

  it("of CSV have no header, and no other types than those of their columns", async () => {
    expect(await stored("csv", ["VARCHAR", "VARCHAR"], "name,n\n01,2026-01-02\n")).toEqual([
      ["name", "n"],
      ["01", "2026-01-02"],
    ]);
  });

  it.each(["1,a,2\n", "1\n", '1,"a\n', '1,"a"b\n'])("of CSV are refused: %j", async (text) => {
    await expect(stored("csv", columns, text)).rejects.toThrow("CSV Error");
  });

  const long = "b".repeat(200);
  it.each<[RowEncoding, string, string]>([
    ["lines", "[1]\n", "a row does not have 2 values: [1]"],
    ["lines", "null\n", "a row does not have 2 values: null"],
    ["lines", '[1,"a",2]\n', 'a row does not have 2 values: [1,"a",2]'],
    ["arrays", "[[1]]", "a row does not have 2 values: [1]"],
    ["arrays", `[["${long}"]]`, `a row does not have 2 values: ["${"b".repeat(98)}`],
    ["positional-arrays", "[[1]]", "a row does not have 2 values: [1]"],
    ["positional-arrays", "[[1, 2, 3]]", "a row does not have 2 values: [1, 2, 3]"],
    ["positional-arrays", "[null]", "a row does not have 2 values: null"],
  ])("of %s have a value for each column: %j", async (encoding, text, message) => {
    const error: unknown = await stored(encoding, columns, text).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const [line] = String((error as Error).message).split("\n");
    expect(line?.endsWith(message)).toBe(true);
  });

  it("may have 64 MiB in a line, and 16 MiB in an array", async () => {
    const row = (bytes: number) => `[1,"${"a".repeat(bytes - 6)}"]`;
    const length = "SELECT strlen(c1)";
    expect(await stored("lines", columns, row(40_000_000), {}, length)).toEqual([["39999994"]]);
    expect(await stored("arrays", columns, `[${row(16_000_000)}]`, {}, length)).toEqual([["15999994"]]);
    await expect(stored("arrays", columns, `[${row(34_000_000)}]`)).rejects.toThrow(/maximum_object_size.*16777216/s);
  });
});

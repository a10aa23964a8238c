import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { rowsFrom } from "../src/files.ts";
import { createMockServer } from "../src/index.ts";
import { callerOf } from "./caller.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Returns columns and rows as a client gets them. */
async function served(path: string | URL) {
  const mock = createMockServer();
  mock.when("select").rows(rowsFrom(path));
  const { call, create, poll } = callerOf(mock);
  const queryRunId = await create("select");
  await poll(queryRunId);
  const { columnNames, columnTypes, rows } = await call("getQueryRunResults", { queryRunId });
  return { columnNames, columnTypes, rows };
}

describe("CSV", () => {
  it("has names, and types by its values", async () => {
    const text = `\uFEFFname,n,big,yes,at,"a ""b"""\r\n"a, b\nc",1.5,12345678901234567890,TRUE,2024-02-29T10:00:00Z,"1"\r\n"",,,,,\r\n`;
    expect(await served(file("a.csv", text))).toEqual({
      columnNames: ["name", "n", "big", "yes", "at", 'a "b"'],
      columnTypes: ["string", "number", "number", "boolean", "date", "string"],
      rows: [
        ["a, b\nc", 1.5, "12345678901234567890", true, "2024-02-29T10:00:00Z", "1"],
        ["", null, null, null, null, null],
      ],
    });
  });

  it("loses only the byte order mark at its start", async () => {
    expect(await served(file("mark.csv", "a,b\nx\uFEFFy,1"))).toMatchObject({ rows: [["x\uFEFFy", 1]] });
  });

  it("can end without a line end, also with an empty value", async () => {
    expect((await served(file("b.csv", "a,b\n1,"))).rows).toEqual([[1, null]]);
    expect((await served(file("c.csv", "a"))).rows).toEqual([]);
  });

  it("can have line ends of any kind, and empty lines", async () => {
    expect((await served(file("d.csv", "a,b\r1,2\r\r3,4\r\r"))).rows).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect((await served(file("e.CSV", "a\n1\n\n2\n"))).rows).toEqual([[1], [null], [2]]);
  });

  it("has times as the service sends them, and no invalid times", async () => {
    const text = "day,at,zone,odd\n2024-02-29,2024-02-29 10:00:00.5,2024-02-29T10:00:00+02:00,2024-99-99\n";
    expect(await served(file("f.csv", text))).toMatchObject({
      columnTypes: ["date", "date", "date", "string"],
      rows: [["2024-02-29", "2024-02-29T10:00:00.5Z", "2024-02-29T10:00:00+02:00", "2024-99-99"]],
    });
  });

  it.each([
    ["", /: missing header line/],
    ["a,b\n1\n2,3", /: invalid row 1 after the header line: expected 2 values, got 1/],
    ["a,b\n1,2,3", /: invalid row 1 after the header line: expected 2 values, got 3/],
    ["a,b\n1,2\n3", /: invalid row 2 after the header line: expected 2 values, got 1/],
    ['a\nb"c"', /unexpected quote in the value at character 3/],
  ])("%j is refused", (text, message) => {
    expect(() => rowsFrom(file("bad.csv", text))).toThrow(message);
  });
});

describe("JSON", () => {
  it("has objects, or columns and rows", async () => {
    const objects = { columnNames: ["a"], columnTypes: ["number"], rows: [[1]] };
    expect(await served(pathToFileURL(file("a.json", '[{"a":1}]')))).toEqual(objects);
    const table = '{"columns":["a",{"name":"a","type":"date"}],"rows":[[1,null]]}';
    expect(await served(file("b.json", table))).toEqual({
      columnNames: ["a", "a"],
      columnTypes: ["number", "date"],
      rows: [[1, null]],
    });
  });

  it.each(["1", "[1]", "null", '{"columns":[1],"rows":[]}', '{"columns":["a"],"rows":[1]}', "{"])(
    "%s is refused",
    (text) => {
      expect(() => rowsFrom(file("bad.json", text))).toThrow(
        expect.objectContaining({ name: "SyntaxError", message: expect.stringMatching(/bad\.json: /) }),
      );
    },
  );
});

it("other files are refused", () => {
  expect(() => rowsFrom("cars.parquet")).toThrow(
    new RangeError("rowsFrom: unsupported file: cars.parquet; use .csv or .json"),
  );
});

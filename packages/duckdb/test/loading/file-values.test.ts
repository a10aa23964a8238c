import { readFile } from "node:fs/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { typesOf, useLoader } from "./loaded-files.ts";

const { loaded, written } = useLoader();

describe("the types of a column", () => {
  it.each([
    ["an integer beyond BIGINT", "n\n9223372036854775808\n1\n", "HUGEINT", ["9223372036854775808", "1"]],
    ["an integer that a DOUBLE changes", "n\n9007199254740993\n1.5\n", "VARCHAR", ["9007199254740993", "1.5"]],
    ["a number beyond DOUBLE", "n\n1e999\n1.5\n", "VARCHAR", ["1e999", "1.5"]],
    ["an infinite date", "n\n2026-01-02\ninfinity\n", "DATE", ["2026-01-02", "infinity"]],
    ["leading zeros", "n\n007\n1\n", "VARCHAR", ["007", "1"]],
  ])("holds %s exactly", async (_, text, type, values) => {
    const { read } = await loaded({ "t.csv": text });
    expect([(await read("SELECT n::VARCHAR FROM t")).flat(), (await read(typesOf)).flat()]).toEqual([values, [[type]]]);
  });

  it("is the same for all files of a folder, and holds their values exactly", async () => {
    const { rows } = await loaded(
      { "1.csv": "a,n\n1,9007199254740993\n", "2.csv": "N;b\n1,5;x\n", "3.csv": "n,a\n2.5,3\n" },
      {},
    );
    expect(rows).toEqual([
      ["1", "9007199254740993", null],
      [null, "1,5", "x"],
      ["3", "2.5", null],
    ]);
  });

  it.each<[string, readonly string[], readonly unknown[]]>([
    ["BIGINT", ["1.0", "1e3", "-7", "0xaa"], ["1", "1000", "-7", "170"]],
    ["DECIMAL(20,2)", ["123456789012345.67", "1.500", "1e3", ".5"], ["123456789012345.67", "1.50", "1000.00", "0.50"]],
    ["DATE", ["2026-01-02", "2026-01-02 00:00:00"], ["2026-01-02", "2026-01-02"]],
    ["TIMESTAMPTZ", ["2026-01-02 03:04:05.123456+00"], ["2026-01-02 03:04:05.123456+00"]],
    ["INTEGER[]", ['"[1, 2]"', "[]"], ["[1, 2]", "[]"]],
    ["STRUCT(a INTEGER)", ["{'a': 1}"], ["{'a': 1}"]],
    ["TIMESTAMP_MS", ["2026-01-02 03:04:05.120000"], ["2026-01-02 03:04:05.12"]],
    ["TIME_NS", ["03:04:05.123456789"], ["03:04:05.123456789"]],
  ])("%s holds %j exactly", async (type, texts, values) => {
    const { read } = await loaded({ "t.csv": `x\n${texts.join("\n")}\n` }, { types: { x: type } });
    expect((await read("SELECT x::VARCHAR FROM t")).flat()).toEqual(values);
  });

  it.each([
    ["BIGINT", "1.5"],
    ["UTINYINT", "256"],
    ["DECIMAL(10,2)", "1.239"],
    ["DATE", "2026-01-02 garbage"],
    ["DATE", "2026-01-02 12:00:00"],
    ["TIMESTAMPTZ", "garbage"],
    ["TIMESTAMP", "2026-01-02 03:04:05.1234567"],
    ["TIMESTAMP", "2026-01-02 03:04:05+02"],
    ["DOUBLE", "1e400"],
    ["INTEGER[]", "[1.5]"],
    ["STRUCT(a INTEGER)", "{'a': 1.5}"],
  ])("%s refuses %s with the file, the row and the column", async (type, text) => {
    await expect(loaded({ "t.csv": `id,x\n1,\n2,${text}\n` }, { types: { x: type } })).rejects.toThrow(
      new RegExp(
        `^Value that is not exactly a [^:]+: "${text.replaceAll(/[+[{]/g, "\\$&")}" in the column x of \\S+t\\.csv, row 2; `,
      ),
    );
  });
});

it.each(["orc", "avro", "xlsx"])("a file that ends in .%s is refused with the formats that load", async (ending) => {
  const message = /^Unsupported format: \S+; write the table as Parquet, Arrow, CSV or JSON$/;
  await expect(loaded({ [`t.${ending}`]: "x" })).rejects.toThrow(message);
});

it("folders such as year=2026 are columns of CSV files", async () => {
  const files = { "year=2025/a.csv": "n\n1\n", "year=2026/b.csv": Buffer.from("\uFEFFn\n2\n", "utf16le") };
  expect((await loaded(files)).rows).toEqual([
    ["1", "2025"],
    ["2", "2026"],
  ]);
});

describe("names that begin with . or _", () => {
  const files = {
    "a.csv": "n\n1\n",
    "_b.csv": "n\n2\n",
    ".c.csv": "n\n3\n",
    "_temporary/d.csv": "n\n4\n",
    ".ipynb_checkpoints/a-checkpoint.csv": "n\n6\n",
    "e/f.csv": "n\n5\n",
  };
  it.each([
    ["", ["1", "5"], 4],
    ["*.csv", ["1"], 1],
    ["**/*.csv", ["1", "5"], 2],
    [".ipynb_checkpoints", ["6"], 0],
    ["_*.csv", ["2"], 0],
    ["_temporary", ["4"], 0],
    ["_b.csv", ["2"], 0],
  ])("are skipped and counted, unless the path has them: %j", async (from, values, skipped) => {
    const { rows, report } = await loaded(files, {}, from);
    expect(rows.flat()).toEqual(values);
    expect(report).toMatchObject({ files: values.length, skipped: expect.any(Number) });
    expect(report.skipped).toBeGreaterThanOrEqual(skipped);
  });

  it("are an error if there are no others", async () => {
    await expect(loaded({ "_a.csv": "n\n1\n", ".b.csv": "n\n1\n" })).rejects.toThrow(
      /^No file to load: .* all 2 begin with \. or _/,
    );
  });
});

describe("a JSON file", () => {
  it("keeps rare keys and 200 columns, and integers beyond BIGINT", async () => {
    const wide = Array.from({ length: 250 }, (_, index) => [`c${index}`, index]);
    const { rows } = await loaded({ "t.json": JSON.stringify(Object.fromEntries(wide)) });
    expect(rows).toEqual([wide.map(([, value]) => String(value))]);
    const lines = Array.from({ length: 300 }, (_, id) => JSON.stringify({ id, [`k${Math.floor(id / 10)}`]: 1.5 }));
    expect((await (await loaded({ "t.jsonl": lines.join("\n") })).read(typesOf)).flat(2)).toHaveLength(31);
    const numbers = '{"a":18446744073709551616,"b":9007199254740993}\n{"a":1,"b":1.5}\n';
    expect((await loaded({ "t.json": numbers })).rows).toEqual([
      ["18446744073709551616", "9007199254740993"],
      ["1", "1.5"],
    ]);
  });

  it("has the values of given types exactly, or is refused", async () => {
    const text = '{"x":123456789012345.67}\n{"x":"1.50"}\n';
    expect((await loaded({ "t.json": text }, { types: { x: "DECIMAL(20,2)" } })).rows.flat()).toEqual([
      "123456789012345.67",
      "1.50",
    ]);
    expect((await loaded({ "t.json": text }, { allText: true })).rows.flat()).toEqual(["123456789012345.67", "1.50"]);
    const nested = '{"x":[{"a":2,"b":1.25}]}\n{"x":[{"a":3}]}\n{"x":null}\n';
    const list = await loaded({ "t.json": nested }, { types: { x: "STRUCT(a INTEGER, b DECIMAL(9,2))[]" } });
    expect((await list.read("SELECT x::VARCHAR FROM t")).flat()).toEqual([
      "[{'a': 2, 'b': 1.25}]",
      "[{'a': 3, 'b': NULL}]",
      null,
    ]);
    for (const type of ["STRUCT(a INTEGER, b DECIMAL(9,1))[]", "STRUCT(a INTEGER, b INTEGER)[]"])
      await expect(loaded({ "t.json": nested }, { types: { x: type } })).rejects.toThrow(
        /^Value that is not exactly a STRUCT.* in the column x of \S+t\.json, row 1; /,
      );
    await expect(loaded({ "t.json": '{"x":1.5}' }, { types: { x: "BIGINT" } })).rejects.toThrow(
      /^Value that is not exactly a BIGINT: "1.5" in the column x /,
    );
    await expect(loaded({ "t.json": '{"x":1234567890123456.789}' }, { allText: true })).rejects.toThrow(
      /^Number of more than 17 digits: 1234567890123456.789 /,
    );
  });
});

it.each([
  ["csv", ""],
  ["json", ""],
  ["parquet", ""],
])("files that DuckDB writes as %s come back equal", async (format, options) => {
  const table =
    "SELECT * FROM (VALUES (1, '', 1.5::DOUBLE, DATE '2026-01-02'), (2, NULL, NULL, NULL), (3, 'a,\"b\"\nc', -0.5, DATE '1999-12-31')) t(i, s, n, d)";
  const file = await written((path) => `COPY (${table}) TO '${path}'${options}`, `own.${format}`);
  const { read } = await loaded({ [`own.${format}`]: await readFile(file) });
  const different = await read(`(FROM t EXCEPT ALL ${table}) UNION ALL (${table} EXCEPT ALL FROM t)`);
  expect(different).toEqual([]);
});

it("a Parquet file with decimals above 38 digits is refused, and cut nanoseconds are named", async () => {
  // Files that other writers make, from those of the engine: the precision of the decimal is 39, and the times are in UTC.
  const patched = async (query: string, from: string, to: string) => {
    const file = await written((path) => `COPY (${query}) TO '${path}'`, "patched.parquet");
    return Buffer.from((await readFile(file, "latin1")).replaceAll(from, to), "latin1");
  };
  const decimals = await patched("SELECT 1 AS a, 1::DECIMAL(38,2) AS d", "\x15\x4c", "\x15\x4e");
  await expect(loaded({ "d.parquet": decimals })).rejects.toThrow(
    /^Decimals of 39 digits: the column d of \S+d\.parquet; /,
  );
  const at = "SELECT '2026-01-02 03:04:05.123456789'::TIMESTAMP_NS AS t";
  const times = await patched(at, "\x12\x1c\x3c\x00\x00", "\x11\x1c\x3c\x00\x00");
  const { report, rows } = await loaded({ "t.parquet": times });
  expect([report.cut, rows]).toEqual([["t"], [["2026-01-02 03:04:05.123456+00"]]]);
});

it.each(["t.csv.gz", "t.csv.zst", "t.tsv.zst", "t.json.gz", "t.jsonl.zst"])("%s loads", async (name) => {
  const text = name.includes("json") ? '{"a":1,"b":"x"}\n' : name.includes("tsv") ? "a\tb\n1\tx\n" : "a,b\n1,x\n";
  const content = (name.endsWith("gz") ? gzipSync : zstdCompressSync)(text);
  expect((await loaded({ [name]: content })).rows).toEqual([["1", "x"]]);
});

it("a Parquet file with a VARIANT, or with a coordinate system as text, is refused with its column", async () => {
  const parquet = async (query: string, more = "") =>
    readFile(await written((path) => `COPY (${query}) TO '${path}' (FORMAT parquet${more})`, "refused.parquet"));
  const variants = await parquet("SELECT 1 AS n, {'a': 1}::VARIANT AS doc");
  await expect(loaded({ "a.parquet": await parquet("SELECT 1 AS n"), "b.parquet": variants })).rejects.toThrow(
    /^Unsupported type: the column doc of \S+b\.parquet has a VARIANT; write it as JSON text$/,
  );
  const point =
    "'\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xF0?\\x00\\x00\\x00\\x00\\x00\\x00\\x00@'::BLOB";
  const places = (crs: unknown) => {
    const column = { encoding: "WKB", geometry_types: ["Point"], ...(crs === undefined ? {} : { crs }) };
    const geo = JSON.stringify({ version: "1.1.0", primary_column: "place", columns: { place: column } });
    return parquet(`SELECT ${point} AS place`, `, KV_METADATA { geo: '${geo}' }`);
  };
  await expect(loaded({ "t.parquet": await places("EPSG:4326") })).rejects.toThrow(
    /^Coordinate system that is not PROJJSON: the column place of \S+t\.parquet; /,
  );
  const { read } = await loaded({ "t.parquet": await places(undefined) });
  expect(await read("SELECT place::VARCHAR FROM t")).toEqual([["POINT (1 2)"]]);
});

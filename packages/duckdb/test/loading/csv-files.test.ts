import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, type LoadRequest, loadSource } from "../../src/loading.ts";
import { dataDirectorySources } from "../../src/sources/data-directory-sources.ts";
import { readManifest } from "../../src/sources/manifest.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await temporaryDirectory();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Options = Omit<LoadRequest, "from">;

/** Loads files of a new folder, given by name, as the table `t`, and returns its rows as the engine shows them. */
async function loaded(files: Readonly<Record<string, string | Buffer>>, options: Options = {}, from = "") {
  const directory = join(folder, `files-${++made}`);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  const place = { dataDir: join(folder, `data-${made}`), source: "shop" };
  const only = Object.keys(files).length === 1 ? Object.keys(files)[0] : "";
  const report = await addToSource(place, { from: join(directory, from || (only ?? "")), as: "t", ...options });
  const rows = async (sql = "FROM t") => {
    const [source] = dataDirectorySources(place.dataDir);
    const path = source?.path ?? "";
    const databases = (readManifest(path)?.catalogs ?? []).map(({ name, file }) => ({ name, path: join(path, file) }));
    return readDatabases(databases, sql);
  };
  return { report, place, read: rows, rows: await rows() };
}
const rowsOf = async (text: string | Buffer, csv?: LoadRequest["csv"], name = "t.csv") =>
  (await loaded({ [name]: text }, csv && { csv })).rows;
const typesOf = "SELECT list(data_type ORDER BY column_index) FROM duckdb_columns() WHERE table_name = 't'";

describe("a CSV file", () => {
  // The rows that Python's csv module reads. The reader of the engine skips lines, or takes each line as one column.
  it.each<[string, string | Buffer, readonly (readonly unknown[])[]]>([
    ["a text with a semicolon after one column", "c0\nv0\na;b\n", [["v0"], ["a;b"]]],
    [
      "semicolons and commas",
      "a;b\n1,5;x\n2,5;y\n",
      [
        ["1,5", "x"],
        ["2,5", "y"],
      ],
    ],
    [
      "line breaks and quotes in fields",
      'a,b\n1,"x\ny"\n2,"z ""q"""\n',
      [
        ["1", "x\ny"],
        ["2", 'z "q"'],
      ],
    ],
    [
      "a quote in a field without quotes",
      'a,b\n1,5" pipe\n2,y\n',
      [
        ["1", '5" pipe'],
        ["2", "y"],
      ],
    ],
    [
      "empty texts and NULL",
      'a,b\n1,""\n2,\n',
      [
        ["1", ""],
        ["2", null],
      ],
    ],
    [
      "empty texts in a column of numbers",
      'a,b\n"1",""\n"",2\n',
      [
        ["1", null],
        [null, "2"],
      ],
    ],
    [
      "several kinds of line breaks",
      "a,b\r\n1,x\n2,y\r3,z\r\n",
      [
        ["1", "x"],
        ["2", "y"],
        ["3", "z"],
      ],
    ],
    [
      "carriage returns only",
      "a,b\r1,x\r2,y\r",
      [
        ["1", "x"],
        ["2", "y"],
      ],
    ],
    ["UTF-16 with a byte order mark", Buffer.from("\uFEFFa,b\n1,é\n", "utf16le"), [["1", "é"]]],
    ["a byte order mark before a quote", '\uFEFF"a, b",c\n1,2\n', [["1", "2"]]],
    [
      "blank lines",
      "\na,b\n1,2\n\n3,4\n\n",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "a row above 2 MB",
      `a,b\n1,${"x".repeat(3_000_000)}\n2,y\n`,
      [
        ["1", "x".repeat(3_000_000)],
        ["2", "y"],
      ],
    ],
    ["no line break at the end", "a,b\n1,2", [["1", "2"]]],
    ["only a header", "a,b\n", []],
  ])("with %s keeps all rows", async (_, text, rows) => expect(await rowsOf(text)).toEqual(rows));

  it("has the options of the request, also after a reload", async () => {
    const text = Buffer.from("report\n\nname|price\n'Zoë|x'|1,5\n'-'|-\n-|2,5\n", "latin1");
    const csv = { skip: 2, quote: "'", encoding: "latin1", nullText: ["-"], decimalSeparator: "," } as const;
    const { place, read, report } = await loaded({ "t.csv": text }, { csv, types: { price: "DECIMAL(4,2)" } });
    const expected = [
      ["Zoë|x", "1.50"],
      ["-", null],
      [null, "2.50"],
    ];
    expect(report).toEqual({
      name: "shop.main.t",
      tables: 1,
      rows: 3,
      columns: 2,
      files: 1,
      skipped: 0,
      padded: 0,
      ignored: 0,
      cut: [],
    });
    expect(await read()).toEqual(expected);
    await loadSource(place);
    expect(await read()).toEqual(expected);
    expect(await rowsOf("1,x\n2,y\n", { header: false })).toEqual([
      ["1", "x"],
      ["2", "y"],
    ]);
    expect(await rowsOf("a,b\nc,d\n", { header: false })).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(await rowsOf("a:b\n'x:1\n", { delimiter: ":", quote: "" })).toEqual([["'x", "1"]]);
    expect(await rowsOf(gzipSync("a\tb\n1\t2,3\n"), {}, "t.tsv.gz")).toEqual([["1", "2,3"]]);
    expect(await rowsOf("a,b,c\n1\n2,x,y\n", { padRows: true, nullText: ["NA"] })).toEqual([
      ["1", null, null],
      ["2", "x", "y"],
    ]);
  });

  const thousand = Array.from({ length: 1000 }, (_, i) => `${i},x${i}${i === 700 ? ",9" : ""}\n`).join("");
  it.each<[string, string | Buffer, RegExp]>([
    [
      "a row with one more field",
      `a,b\n${thousand}`,
      /^Row with 3 fields below a first row with 2 fields: \S+t\.csv line 702; .*--ignore-errors/,
    ],
    [
      "a short row",
      "a,b,c\n1,2,3\n4,5\n6,7,8\n",
      /^Row with 2 fields below a first row with 3 fields: \S+ line 3; .*--pad-rows .*--ignore-errors/,
    ],
    ["a change of the delimiter", "a,b\n1,2\n3,4\na;b;c\n5;6;7\n", /^Row with 1 field below .* line 4; /],
    ["lines above the header", "report of today\n\na,b\n1,2\n", /^Row with 2 fields .* line 3; .*--skip/],
    ["text after a quote", 'a,b\n1,"x" y\n', /^Text after a closing quote: \S+ line 2; .*--quote ''/],
    ["an open quote", 'a,b\n1,"x\n2,y\n', /^Quote that is not closed: \S+ line 2; .*--quote ''/],
    ["Latin-1", Buffer.from("a,b\n1,x\n2,é\n", "latin1"), /^Text that is not UTF-8: \S+ line 3; add --encoding/],
    [
      "UTF-16 without a byte order mark",
      Buffer.from("a,b\n1,x\n", "utf16le"),
      /^Text that is not UTF-8: .* add --encoding utf-16le$/,
    ],
    ["a long cell in a faulty row", `a,b\n1,${"x".repeat(3_000_000)},y\n`, /^Row with 3 fields .{1,400}$/],
    ["nothing", "", /^File without rows: \S+;/],
  ])("with %s is refused in one line", async (_, text, message) => {
    await expect(rowsOf(text)).rejects.toMatchObject({ name: "SourceError", message: expect.stringMatching(message) });
  });

  it("loads with the flag that the refusal names, and counts the rows", async () => {
    const text = `a,b,c\n1,2,3\n4,5\n6,7,8,9\n"x" y,1,2\n10,11,12\n`;
    const both = await loaded({ "t.csv": text }, { csv: { padRows: true, ignoreErrors: true } });
    expect(both.report).toMatchObject({ rows: 3, padded: 1, ignored: 2 });
    expect(both.rows).toEqual([
      ["1", "2", "3"],
      ["4", "5", null],
      ["10", "11", "12"],
    ]);
    const ignored = await loaded({ "t.csv": text }, { csv: { ignoreErrors: true } });
    expect(ignored.report).toMatchObject({ rows: 2, padded: 0, ignored: 3 });
    expect(await rowsOf(Buffer.from("a,b\n1,x\n2,é\n", "latin1"), { encoding: "latin1" })).toEqual([
      ["1", "x"],
      ["2", "é"],
    ]);
    expect(await rowsOf('a,b\n1,"x\n2,y\n', { quote: "" })).toEqual([
      ["1", '"x'],
      ["2", "y"],
    ]);
  });

  it("of random texts comes back as it was written", async () => {
    let seed = 33;
    const next = (count: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * count);
    };
    const parts = ["a", "7", ";", ",", '"', "\n", "\r\n", "|", "\t", " ", "'", "é", "0"];
    const cell = (): string | null =>
      next(6) === 0 ? null : Array.from({ length: next(4) }, () => parts[next(13)]).join("");
    const written = (text: string | null): string => (text === null ? "" : `"${text.replaceAll('"', '""')}"`);
    for (let round = 0; round < 12; round += 1) {
      const width = 2 + next(3);
      const rows = Array.from({ length: next(60) + 1 }, () => Array.from({ length: width }, cell));
      const header = rows[0]?.map((_, index) => `c${index}`) ?? [];
      const delimiter = [",", ";", "\t", "|"][next(4)] ?? ",";
      const end = next(2) === 0 ? "\n" : "\r\n";
      const text = [header, ...rows.map((row) => row.map(written))].map((row) => row.join(delimiter) + end).join("");
      const csv = { header: true, delimiter };
      expect((await loaded({ "t.csv": text }, { csv, allText: true })).rows, text).toEqual(rows);
    }
  });
});

describe("the types of a column", () => {
  it.each([
    ["an integer beyond BIGINT", "n\n9223372036854775808\n1\n", "HUGEINT", ["9223372036854775808", "1"]],
    ["an integer that a DOUBLE changes", "n\n9007199254740993\n1.5\n", "VARCHAR", ["9007199254740993", "1.5"]],
    ["a number beyond DOUBLE", "n\n1e999\n1.5\n", "VARCHAR", ["1e999", "1.5"]],
    ["leading zeros", "n\n007\n1\n", "VARCHAR", ["007", "1"]],
  ])("holds %s exactly", async (_, text, type, values) => {
    const { rows, read } = await loaded({ "t.csv": text });
    expect([rows.flat(), (await read(typesOf)).flat()]).toEqual([values, [[type]]]);
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
    ["TIMESTAMP_MS", ["2026-01-02 03:04:05.120000"], ["2026-01-02 03:04:05.12"]],
  ])("%s holds %j exactly", async (type, texts, values) => {
    const { rows } = await loaded({ "t.csv": `x\n${texts.join("\n")}\n` }, { types: { x: type } });
    expect(rows.flat()).toEqual(values);
  });

  it.each([
    ["BIGINT", "1.5"],
    ["UTINYINT", "256"],
    ["DECIMAL(10,2)", "1.239"],
    ["DATE", "2026-01-02 garbage"],
    ["DATE", "2026-01-02 12:00:00"],
    ["TIMESTAMPTZ", "garbage"],
    ["TIMESTAMP", "2026-01-02 03:04:05.1234567"],
    ["DOUBLE", "1e400"],
  ])("%s refuses %s with the file, the row and the column", async (type, text) => {
    await expect(loaded({ "t.csv": `id,x\n1,\n2,${text}\n` }, { types: { x: type } })).rejects.toThrow(
      new RegExp(`^Value that is not exactly a [A-Z(), 0-9_]+: "${text}" in the column x of \\S+t\\.csv, row 2; `),
    );
  });
});

describe("names that begin with . or _", () => {
  const files = {
    "a.csv": "n\n1\n",
    "_b.csv": "n\n2\n",
    ".c.csv": "n\n3\n",
    "_temporary/d.csv": "n\n4\n",
    "e/f.csv": "n\n5\n",
  };
  it.each([
    ["", ["1", "5"], 3],
    ["*.csv", ["1"], 1],
    ["**/*.csv", ["1", "5"], 2],
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
  const file = join(folder, `own.${format}`);
  const table =
    "SELECT * FROM (VALUES (1, '', 1.5::DOUBLE, DATE '2026-01-02'), (2, NULL, NULL, NULL), (3, 'a,\"b\"\nc', -0.5, DATE '1999-12-31')) t(i, s, n, d)";
  await inDuckDB(":memory:", `COPY (${table}) TO '${file}'${options}`);
  const place = { dataDir: join(folder, `data-${++made}`), source: "shop" };
  await addToSource(place, { from: file, as: "t" });
  const [source] = dataDirectorySources(place.dataDir);
  const [catalog] = readManifest(source?.path ?? "")?.catalogs ?? [];
  const databases = [{ name: "shop", path: join(source?.path ?? "", catalog?.file ?? "") }];
  const different = await readDatabases(
    databases,
    `(FROM t EXCEPT ALL ${table}) UNION ALL (${table} EXCEPT ALL FROM t)`,
  );
  expect(different).toEqual([]);
});

it("a Parquet file with decimals above 38 digits is refused, and cut nanoseconds are named", async () => {
  // Files that other writers make, from those of the engine: the precision of the decimal is 39, and the times are in UTC.
  const patched = async (query: string, from: string, to: string) => {
    const file = join(folder, `p${++made}.parquet`);
    await inDuckDB(":memory:", `COPY (${query}) TO '${file}'`);
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

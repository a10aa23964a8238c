import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { LoadRequest } from "../../src/loading.ts";
import { useLoader } from "./loaded-files.ts";

const { loaded } = useLoader();

const rowsOf = async (text: string | Buffer, csv?: LoadRequest["csv"], name = "t.csv") =>
  (await loaded({ [name]: text }, csv && { csv })).rows;

/** A thousand fields of this text are a megabyte. */
const long = "x".repeat(1_000);

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
    ["blank lines of one column, which are NULL", "\na\n1\n\n2\n", [["1"], [null], ["2"]]],
    ["blank lines of one column in UTF-16", Buffer.from("\uFEFFa\n1\n\n2\n", "utf16le"), [["1"], [null], ["2"]]],
    [
      "a first empty text in a column of numbers after the first megabyte",
      `a,b\n${`1,${long}\n`.repeat(1_100)}"",y\n`,
      [...Array(1_100).fill(["1", long]), [null, "y"]],
    ],
    [
      "a first other line break after the first megabyte",
      `a,b\n${`1,${long}\n`.repeat(1_100)}2,y\r\n3,z`,
      [...Array(1_100).fill(["1", long]), ["2", "y"], ["3", "z"]],
    ],
  ])("with %s keeps all rows", async (_, text, rows) => expect(await rowsOf(text)).toEqual(rows));

  it("has the options of the request", async () => {
    const text = Buffer.from("report\n\nname|price\n'Zoë|x'|1,5\n'-'|-\n-|2,5\n", "latin1");
    const csv = { skip: 2, quote: "'", encoding: "latin1", nullText: ["-"], decimalSeparator: "," } as const;
    expect((await loaded({ "t.csv": text }, { csv, types: { price: "DECIMAL(4,2)" } })).rows).toEqual([
      ["Zoë|x", "1.50"],
      ["-", null],
      [null, "2.50"],
    ]);
    expect(await rowsOf("1,x\n2,y\n", { header: false })).toEqual([
      ["1", "x"],
      ["2", "y"],
    ]);
    expect(await rowsOf("a,b\nc,d\n", { header: false })).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(await rowsOf("a:b\n'x:1\n", { delimiter: ":", quote: "" })).toEqual([["'x", "1"]]);
    expect(await rowsOf("report\r\ra,b\r1,x\r", { skip: 2 })).toEqual([["1", "x"]]);
    const escaped = 'a,b\n1,"x\\"y, \\\\"\n2,"z"\n';
    await expect(rowsOf(escaped)).rejects.toThrow(/^Text after a closing quote: \S+ line 2; .*--escape '\\'/);
    expect(await rowsOf(escaped, { escape: "\\" })).toEqual([
      ["1", 'x"y, \\'],
      ["2", "z"],
    ]);
    await expect(rowsOf('a,b\n1,"x\\n"\n', { escape: "\\" })).rejects.toThrow(
      /^Escape before another character than a quote: \S+ line 2; remove --escape/,
    );
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
    [
      "half of a character in UTF-16",
      Buffer.from("\uFEFFa,b\n1,\uD800\n", "utf16le"),
      /^Text that is not in the encoding utf-16le: \S+; set another --encoding$/,
    ],
    ["a long cell in a faulty row", `a,b\n1,${"x".repeat(3_000_000)},y\n`, /^Row with 3 fields .{1,400}$/],
    ["nothing", "", /^File without rows: \S+;/],
  ])("with %s is refused in one line", async (_, text, message) => {
    await expect(rowsOf(text)).rejects.toMatchObject({ name: "SourceError", message: expect.stringMatching(message) });
  });

  it("loads with the flag that the refusal names, and counts the rows", async () => {
    expect((await loaded({ "t.csv": "a,b\n1,2\n" }, {})).report).toMatchObject({ padded: 0, ignored: 0 });
    const text = `a,b,c\n1,2,3\n4,5\n6,7,8,9\n"x" y,1,2\n10,11,12\n`;
    const both = await loaded({ "t.csv": text }, { csv: { padRows: true, ignoreErrors: true } });
    expect(both.report).toMatchObject({ padded: 1, ignored: 2 });
    expect(both.rows).toEqual([
      ["1", "2", "3"],
      ["4", "5", null],
      ["10", "11", "12"],
    ]);
    const ignored = await loaded({ "t.csv": text }, { csv: { ignoreErrors: true } });
    expect(ignored.report).toMatchObject({ padded: 0, ignored: 3 });
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

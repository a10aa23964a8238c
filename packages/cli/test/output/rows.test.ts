import { describe, expect, it } from "vitest";
import { chosenFormat, type Format } from "../../src/output/format.ts";
import type { Row } from "../../src/output/row.ts";
import { rowWriter } from "../../src/output/rows.ts";

const columns = [
  { key: "name", name: "name", type: "string" },
  { key: "cars", name: "cars", type: "number" },
];

function written(format: Format, rows: readonly Row[], names = columns): string {
  const writer = rowWriter(format, names);
  // Each argument is one page of the service.
  return writer.head() + rows.map((row) => writer.page([row])).join("") + writer.tail();
}

function table(rows: readonly Row[], names = columns): string[] {
  const writer = rowWriter("table", names);
  return (writer.head() + writer.page(rows) + writer.tail()).split("\n").slice(0, -1);
}

describe("a table", () => {
  it("aligns texts to the left, numbers to the right, and shows nulls", () => {
    expect(
      table([
        ["fiat", 7],
        ["日本 🚗", 1_234],
        [null, null],
        ["", "12345678901234567890"],
      ]),
    ).toEqual([
      "name                     cars",
      "───────  ────────────────────",
      "fiat                        7",
      "日本 🚗                  1234",
      "NULL                     NULL",
      "         12345678901234567890",
    ]);
  });

  it("without rows has its header", () => {
    expect(table([])).toEqual(["name  cars", "────  ────"]);
  });

  it("shows nested values as JSON, and lets no value move the cursor", () => {
    expect(
      table([
        [{ a: [1] }, true],
        ["one\ntwo\u001b[2J\u202e", 0],
      ]).slice(2),
    ).toEqual(['{"a":[1]}                true', "one\\ntwo\\u001b[2J\\u202e     0"]);
  });

  it("keeps the widths of the first page and cuts nothing", () => {
    expect(
      written("table", [
        ["a", 1],
        ["longer", 2],
      ])
        .split("\n")
        .slice(2, 4),
    ).toEqual(["a        1", "longer     2"]);
  });
});

describe("csv", () => {
  it.each([
    ["plain", "plain"],
    ["with, comma", '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ["two\nlines", '"two\nlines"'],
    ["", '""'],
    [null, ""],
    [{ a: "b" }, '"{""a"":""b""}"'],
    [true, "true"],
    ["日本", "日本"],
  ])("writes %j as %s", (value, field) => {
    expect(written("csv", [[value, 1]])).toBe(`name,cars\n${field},1\n`);
  });
});

describe("json", () => {
  it("is one array, whatever the pages", () => {
    const text = written("json", [
      ["a", 1],
      ["b", null],
    ]);
    expect(JSON.parse(text)).toEqual([
      { name: "a", cars: 1 },
      { name: "b", cars: null },
    ]);
    expect(text.split("\n")).toHaveLength(5);
    expect(JSON.parse(written("json", []))).toEqual([]);
  });
});

describe("jsonl", () => {
  it("is an object a line", () => {
    expect(
      written("jsonl", [
        ["a\n", 1],
        [{ b: [null] }, "9007199254740993"],
      ]),
    ).toBe('{"name":"a\\n","cars":1}\n{"name":{"b":[null]},"cars":"9007199254740993"}\n');
  });

  it("keeps odd keys, in their order", () => {
    const names = ["n", "n_3", "n_2", "2", "__proto__"].map((key) => ({ key, name: "n", type: "number" }));
    expect(written("jsonl", [[1, 2, 3, 4, 5]], names)).toBe('{"n":1,"n_3":2,"n_2":3,"2":4,"__proto__":5}\n');
  });
});

describe("the format", () => {
  it.each([
    [{ json: false }, { isTTY: true }, "table"],
    [{ json: false }, {}, "jsonl"],
    [{ json: true }, { isTTY: true }, "json"],
    [{ json: true, format: "csv" as const }, {}, "csv"],
  ])("of %o on %o is %s", (flags, stdout, format) => {
    expect(chosenFormat(flags, stdout)).toBe(format);
  });
});

describe("tsv", () => {
  it.each([
    ["with, comma", "with, comma"],
    ["a\ttab", '"a\ttab"'],
    ['with "quotes"', '"with ""quotes"""'],
    ["two\nlines", '"two\nlines"'],
    ["", '""'],
    [null, ""],
  ])("writes %j as %s", (value, field) => {
    expect(written("tsv", [[value, 1]])).toBe(`name\tcars\n${field}\t1\n`);
  });
});

it("markdown is a table of GitHub, in which no value adds a cell, a row or a tag", () => {
  const rows = [
    ["a|b\\", 1],
    ["<b>one</b>\r\ntwo\u001b[2J", null],
  ];
  expect(written("markdown", rows).split("\n")).toEqual([
    "| name | cars |",
    "| --- | ---: |",
    "| a\\|b\\\\ | 1 |",
    "| &lt;b>one&lt;/b><br>two\\\\u001b[2J | NULL |",
    "",
  ]);
});

import type { FileHandle } from "node:fs/promises";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { csvHeader, writeRowText } from "../../src/download/row-text.ts";

/** Returns the text of columns of JSON values, as the engine has stored them. */
async function textOf(columns: readonly (readonly DuckDBValue[])[], format: "csv" | "ndjson"): Promise<string> {
  const rowCount = columns[0]?.length ?? 0;
  const chunks = [{ rowCount, getColumnValues: (index: number) => columns[index], reset: () => {} }];
  const connection = { stream: async () => chunks };
  const written: string[] = [];
  const target = { writeFile: async (text: string) => void written.push(text) };
  const json = columns.map(
    (_, index): ResultColumn => ({ name: "j", kind: "object", engineType: index === 0 ? "JSON" : "VARCHAR" }),
  );
  const files = { paths: ["a"], files: [{ path: "a", firstRow: 0 }], totalBytes: 1, target: "pipe" };
  await writeRowText(
    connection as unknown as DuckDBConnection,
    { ...files, columns: json, rowCount, format, spillMegabytes: 10 },
    target as unknown as FileHandle,
  );
  return written.join("");
}

const values = [
  ['"a"', '""', '{"a": [1,\r\n2]}', null, "null", '"null"'],
  ["x", null, "", "y,z", 'q"', "null"],
] as const;

it("writes a CSV row on each line, with quotes where they are needed, and nothing for null", async () => {
  expect(await textOf(values, "csv")).toBe('a,x\n"",\n"{""a"": [1,\r\n2]}",""\n,"y,z"\n,"q"""\nnull,null\n');
});

it("writes a JSON object on each line, without line breaks between values", async () => {
  expect((await textOf(values, "ndjson")).split("\n")).toEqual([
    '{"j":"a","j_2":"x"}',
    '{"j":"","j_2":null}',
    '{"j":{"a": [1,  2]},"j_2":""}',
    '{"j":null,"j_2":"y,z"}',
    '{"j":null,"j_2":"q\\""}',
    '{"j":"null","j_2":"null"}',
    "",
  ]);
});

it.each([
  [["a", "b c"], "a,b c\n"],
  [["", 'a"b', "c,d", "e\nf", "g\rh"], '"","a""b","c,d","e\nf","g\rh"\n'],
  [['"a"'], '"""a"""\n'],
])("writes the names %j as the line %j", (names, line) => expect(csvHeader(names)).toBe(line));

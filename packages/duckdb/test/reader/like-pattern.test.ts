import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { randomOf } from "../../../mock-server/src/random.ts";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { likeExpression } from "../../src/reader/like-pattern.ts";
import { countQuery, type LocatedTask, rowsQuery } from "../../src/reader/page-query.ts";

let directory: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  directory = await temporaryDirectory();
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

const file = () => join(directory, "texts.parquet");
const texts = (condition: string): LocatedTask => ({
  result: "texts",
  files: [{ path: file(), firstRow: 0 }],
  rowCount: 1,
  columns: [{ name: "text", kind: "string", engineType: "VARCHAR" }],
  conditions: [{ operator: "like", index: 0, values: [condition] }],
  sortKeys: [],
  page: { number: 1, size: 10 },
  format: "csv",
  rowIndex: false,
  maxBytes: 1_000,
});

async function writeTexts(values: readonly (string | null)[]): Promise<void> {
  await connection.run("CREATE OR REPLACE TABLE texts (c0 VARCHAR)");
  const appender = await connection.createAppender("texts");
  for (const value of values) {
    if (value === null) appender.appendNull();
    else appender.appendVarchar(value);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run(`COPY texts TO '${file()}' (FORMAT parquet)`);
}

/** Rows of the texts that a pattern leaves, in the statement of a page. */
async function left(pattern: string): Promise<readonly number[]> {
  const { text, values, types } = rowsQuery(texts(pattern), ["file_row_number"], 0, 1_000_000);
  return (await connection.runAndReadAll(text, values, types)).getRows().map(([row]) => Number(row));
}

const characters: [string, ...string[]] = [
  "a",
  "b",
  "A",
  "\n",
  "\r\n",
  "\\",
  "\\d",
  "[",
  "(",
  ")",
  "]",
  "{1}",
  "*",
  "+",
  "?",
  "^",
  "$",
  "|",
  ".",
  "'",
  '"',
  "ä",
  "a\u0308",
  "ß",
  "ẞ",
  "😀",
  "👩‍👩‍👧",
  "\u0000",
  "\u2028",
  "\uFFFD",
  "\uD800",
  " ",
  "-",
  "#",
  "x{61}",
];

it("matches what LIKE of the engine matches, for generated patterns and texts", async () => {
  const { below, pick } = randomOf("like");
  const joined = (list: readonly [string, ...string[]], length: number): string =>
    Array.from({ length: below(length) }, () => pick(list)).join("");
  // Few different characters, so that patterns often match.
  const alphabets = Array.from({ length: 12 }, (): [string, ...string[]] => ["a", pick(characters), pick(characters)]);
  const values = [
    null,
    "",
    "%",
    "_",
    "%_",
    ...alphabets.flatMap((each) => Array.from({ length: 40 }, () => joined(each, 9))),
  ];
  await writeTexts(values.map((value) => value?.toWellFormed() ?? null));
  let translated = 0;
  let matches = 0;
  for (const alphabet of alphabets)
    for (let count = 0; count < 15; count += 1) {
      const pattern = joined([...alphabet, "%", "%", "_", "_"], 8);
      // For the engine, a backslash is an escape before each character.
      const escaped = pattern.replaceAll(/\\([%_\\])|\\/g, (text, special) => (special ? text : "\\\\"));
      const rows = `SELECT file_row_number FROM read_parquet('${file()}', file_row_number = true)`;
      const statement = `${rows} WHERE c0 LIKE $1 ESCAPE '\\'`;
      const expected = (await connection.runAndReadAll(statement, [escaped])).getRows().map(([row]) => Number(row));
      expect(await left(pattern), JSON.stringify(pattern)).toEqual(expected);
      translated += likeExpression(pattern) === undefined ? 0 : 1;
      matches += expected.length;
    }
  expect(translated).toBeGreaterThan(50);
  expect(matches).toBeGreaterThan(1_500);
});

it.each([
  ["%a%a%a%a%a%a%a%a%b", 1, 0],
  ["%a_%a_%a_%a_%a_%a_%b", 1, 0],
  ["%a_", 333, 3],
  ["%_", 500, 3],
  ["_", 1_000, 0],
  ["😀_%", 333, 0],
])("answers for texts of 20,000 characters with the pattern %s repeated %i times", async (part, times, count) => {
  await writeTexts(Array.from({ length: 3 }, () => "a".repeat(20_000)));
  const { text, values, types } = countQuery(texts(part.repeat(times)));
  expect((await connection.runAndReadAll(text, values, types)).getRows()).toEqual([[BigInt(count)]]);
});

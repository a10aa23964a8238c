import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { enginePageText } from "../../src/reader/engine-page-text.ts";
import { jsonMacros } from "../../src/reader/json-cell.ts";
import { type LocatedTask, rowsQuery, weighedTextQuery } from "../../src/reader/page-query.ts";
import { type PageText, writeRows } from "../../src/reader/page-text.ts";
import { rowPlan } from "../../src/reader/row-plan.ts";

const rowCount = 50_000;
let directory: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  directory = await temporaryDirectory();
  connection = await (await DuckDBInstance.create(":memory:", { threads: "4" })).connect();
  for (const macro of jsonMacros) await connection.run(macro);
  const rows = `SELECT range AS c0, repeat(chr(31), range % 3) || 'Zürich "' || range AS c1, [range % 7] AS c2,
    CAST('{"n": ' || range || '.10}' AS JSON) AS c3 FROM range(${rowCount})`;
  await connection.run(`COPY (${rows}) TO '${join(directory, "rows.parquet")}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`);
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

const columns: readonly ResultColumn[] = [
  { name: "n", kind: "number", engineType: "BIGINT" },
  { name: 'a "name"', kind: "string", engineType: "VARCHAR" },
  { name: "n", kind: "array", engineType: "BIGINT[]" },
];
const json: ResultColumn = { name: "j", kind: "object", engineType: "JSON" };

function task(change: Partial<LocatedTask>): LocatedTask {
  const files = [{ path: join(directory, "rows.parquet"), firstRow: 0 }];
  const form = { format: "csv", rowIndex: false, maxBytes: 30_000_000 } as const;
  const view = { conditions: [], sortKeys: [], page: { number: 1, size: 10 } };
  return { result: "rows", files, columns, rowCount, ...form, ...view, ...change };
}

const range = (offset: number, count: number) => ({ offset, rowCount: count, page: {} as never });

/** Text of the queries of a page. */
async function queriesOf(asked: LocatedTask): Promise<{ page: PageText | undefined; queries: string[] }> {
  const queries: string[] = [];
  const recorded = {
    runAndReadAll: (...query: Parameters<DuckDBConnection["runAndReadAll"]>) => {
      queries.push(query[0]);
      return connection.runAndReadAll(...query);
    },
  };
  const page = await enginePageText(recorded as DuckDBConnection, asked, rowPlan(asked), range(0, rowCount));
  return { page, queries };
}

const textOf = (page: PageText | undefined): string => Buffer.concat(page?.parts ?? []).toString();

/** Text of the rows that JavaScript writes from the values of each column. */
async function streamed(asked: LocatedTask, offset: number, count: number): Promise<string> {
  const { parts } = rowPlan({ ...asked, columns: [...asked.columns, json] });
  const list = parts.map(({ select }) => select);
  const { text, values, types } = rowsQuery(asked, list, offset, count);
  return textOf(await writeRows(await connection.stream(text, values, types), parts, 100_000_000));
}

it.each(["csv", "json"] as const)("the text of a %s page has the rows of JavaScript in their order", async (format) => {
  const views: Partial<LocatedTask>[] = [
    {},
    { rowIndex: true },
    { sortKeys: [{ index: 2, descending: true }], conditions: [{ index: 0, operator: "gt", values: [100] }] },
  ];
  for (const view of views) {
    const asked = task({ format, ...view });
    const page = await enginePageText(connection, asked, rowPlan(asked), range(4_000, 30_000));
    const rows: unknown = JSON.parse(textOf(page));
    const others: unknown[] = JSON.parse(await streamed(asked, 4_000, 30_000));
    const withoutJson = others.map((row) =>
      Array.isArray(row) ? row.toSpliced(asked.rowIndex ? -2 : -1, 1) : { ...(row as object), j: undefined },
    );
    expect(rows).toEqual(withoutJson);
  }
});

it("JavaScript writes the columns between the texts of the engine", async () => {
  const [number, text] = columns;
  const mixed = task({ columns: [number, json, text].filter((column) => column !== undefined) });
  expect(rowPlan(mixed).parts).toHaveLength(3);
  expect(rowPlan(mixed).text).toBeUndefined();
  expect(await enginePageText(connection, mixed, rowPlan(mixed), range(0, 10))).toBeUndefined();
});

it("JavaScript writes the rows of a result with so many columns that the engine would plan them slowly", () => {
  const plan = (count: number) => rowPlan(task({ columns: Array.from({ length: count }, () => columns[0] ?? json) }));
  expect(plan(200).parts).toHaveLength(1);
  expect(plan(1_000).parts).toHaveLength(1_000);
  expect(plan(1_000).text).toBeUndefined();
});

it("a page that cannot fit is refused before its text is built", async () => {
  const { page, queries } = await queriesOf(task({ maxBytes: 100_000 }));
  expect(page).toBeUndefined();
  expect(queries).toHaveLength(1);
  expect(queries.filter((query) => query.includes("string_agg"))).toEqual([]);
});

it("a page that may not fit is measured exactly before its text is built", async () => {
  const whole = textOf((await queriesOf(task({}))).page);
  const bytes = Buffer.byteLength(whole) + 1; // a comma is counted after each row
  const fitting = await queriesOf(task({ maxBytes: bytes }));
  expect(textOf(fitting.page)).toBe(whole);
  const large = await queriesOf(task({ maxBytes: bytes - 1 }));
  expect(large.page).toBeUndefined();
  expect(large.queries.filter((query) => query.includes("string_agg"))).toEqual([]);
});

it("a row beyond the weight of a small page has no text, and the engine keeps no rows to weigh them", async () => {
  const { text } = weighedTextQuery(task({}), { text: "'x'", weight: "10", maxWeight: 45 }, 1_000, 100);
  const [row] = (await connection.runAndReadAll(text)).getRowsJson();
  expect(row).toEqual(["100", "x,x,x,x", "1000"]);
  const plan = (await connection.runAndReadAll(`EXPLAIN ${text}`)).getRows().flat().join("\n");
  expect(plan).toContain("STREAMING_WINDOW");
});

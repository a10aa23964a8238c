import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Filter, FilterGroup, Scalar } from "@quern/protocol/types";
import type { ResultColumn } from "@quern/query-run/record";
import { resultView } from "@quern/query-run/view";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Random, randomOf } from "../../../mock-server/src/random.ts";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { countQuery, type LocatedTask, type Query, rowsQuery } from "../../src/reader/page-query.ts";

let directory: string;
let connection: DuckDBConnection;
const file = () => join(directory, "rows.parquet");
beforeAll(async () => {
  directory = await temporaryDirectory();
  connection = await (await DuckDBInstance.create()).connect();
  const values = `SELECT CASE WHEN range % 7 > 0 THEN range % 6 END AS c0, chr(97 + (range % 5)::INT) AS c1,
    CASE WHEN range % 11 > 1 THEN range % 4 / 2 END AS c2`;
  await connection.run(`COPY (${values} FROM range(120)) TO '${file()}'`);
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

const columns: readonly ResultColumn[] = [
  { name: "c0", kind: "number", engineType: "BIGINT" },
  { name: "c1", kind: "string", engineType: "VARCHAR" },
  { name: "c2", kind: "number", engineType: "DOUBLE" },
];

/** A filter of a call, and the same one in SQL. */
interface Pair<T = Filter> {
  readonly filter: T;
  readonly sql: string;
}

const literal = (value: Scalar) => (typeof value === "string" ? `'${value}'` : String(value));
const operators = { eq: "=", neq: "<>", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
const patterns = ["a%", "%b", "_", "%"] as const;

function randomCondition(random: Random): Pair {
  const [column, ...values] = random.pick<readonly [string, ...Scalar[]]>([
    ["c0", -1, 0, 1, 2, 3, 5, 6],
    ["c1", "a", "b", "c", "e", "z"],
    ["c2", 0, 0.5, 1, 1.5, 2],
  ]);
  const [value = null, other = null] = random.shuffled(values);
  const list = `(${literal(value)}, ${literal(other)})`;
  const name = random.pick<keyof typeof operators>(["eq", "neq", "gt", "gte", "lt", "lte"]);
  const like = random.pick(patterns);
  return random.pick<Pair>([
    { filter: { column, [name]: value }, sql: `${column} ${operators[name]} ${literal(value)}` },
    {
      filter: { column, gte: value, neq: other },
      sql: `${column} >= ${literal(value)} AND ${column} <> ${literal(other)}`,
    },
    { filter: { column, in: [value, other] }, sql: `${column} IN ${list}` },
    { filter: { column, notIn: [value, other] }, sql: `${column} IS NULL OR ${column} NOT IN ${list}` },
    { filter: { column, eq: null }, sql: `${column} IS NULL` },
    { filter: { column: "c1", like }, sql: `c1 LIKE '${like}'` },
  ]);
}

function randomFilter(random: Random): Pair<Filter | FilterGroup> {
  if (random.oneIn(3)) return randomCondition(random);
  const some = Array.from({ length: 1 + random.below(4) }, () => randomCondition(random));
  return { filter: { or: some.map(({ filter }) => filter) }, sql: some.map(({ sql }) => `(${sql})`).join(" OR ") };
}

function taskOf(filters: readonly (Filter | FilterGroup)[]): LocatedTask {
  const view = resultView(columns, { filters });
  if (!("conditions" in view)) throw new Error(`refused: ${JSON.stringify(view)}`);
  const page = { number: 1, size: 200 };
  const form = { result: "rows", format: "csv", rowIndex: true, maxBytes: 1_000 } as const;
  return { ...form, ...view, columns, rowCount: 120, page, files: [{ path: file(), firstRow: 0 }] };
}

async function numbers({ text, values, types }: Query): Promise<readonly number[]> {
  return (await connection.runAndReadAll(text, values, types)).getRows().map(([number]) => Number(number));
}

it("groups leave the rows that the engine finds by the same WHERE clause", async () => {
  const random = randomOf("groups");
  let some = 0;
  for (let count = 0; count < 60; count += 1) {
    const all = Array.from({ length: 1 + random.below(3) }, () => randomFilter(random));
    const task = taskOf(all.map(({ filter }) => filter));
    const where = all.map(({ sql }) => `(${sql})`).join(" AND ");
    const rows = `SELECT file_row_number FROM read_parquet('${file()}', file_row_number = true)`;
    const left = await numbers({ text: `${rows} WHERE ${where} ORDER BY 1`, values: [], types: [] });
    expect(await numbers(rowsQuery(task, ["file_row_number"], 0, 200)), where).toEqual(left);
    expect(await numbers(countQuery(task)), where).toEqual([left.length]);
    some += left.length > 0 && left.length < 120 ? 1 : 0;
  }
  expect(some).toBeGreaterThan(30);
});

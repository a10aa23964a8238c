import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ResultColumn } from "@quern/query-run/record";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { ResultReader } from "../../dist/reader/reader.js";
import type { ProfileTask } from "../../src/reader/task.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";
import { createTestReader } from "./test-reader.ts";

let directory: string;
let reader: ResultReader;
beforeAll(async () => {
  directory = await temporaryDirectory();
  reader = createTestReader(directory);
});
afterAll(async () => {
  await reader.close();
  await rm(directory, { recursive: true });
});

interface Profile {
  readonly rowCount: number;
  readonly nullCount: number;
  readonly distinctCount: number;
  readonly isDistinctExact: boolean;
  readonly min: unknown;
  readonly max: unknown;
  readonly mean: unknown;
  readonly frequentValues: readonly { readonly value: unknown; readonly count: number; readonly isCut: boolean }[];
  readonly bins: readonly { readonly from: unknown; readonly to: unknown; readonly count: number }[];
}

let files = 0;

/** Writes rows as the file of a result with one column. Returns its path. */
async function fileOf(rows: string): Promise<string> {
  files += 1;
  const path = join(directory, `run_${files}.1.parquet`);
  await inDuckDB(":memory:", `COPY (SELECT * FROM (${rows}) AS given(c0)) TO '${path}' (FORMAT parquet)`);
  return path;
}

async function profileOf(path: string, engineType: string, change: Partial<ProfileTask> = {}): Promise<Profile> {
  const columns: readonly ResultColumn[] = [{ name: "n", kind: "unknown", engineType }];
  const task: ProfileTask = {
    result: path,
    paths: [path],
    columns,
    column: 0,
    rowCount: 10,
    page: { number: 1, size: 0 },
    format: "csv",
    rowIndex: false,
    conditions: [],
    sortKeys: [],
    maxBytes: 1_000,
    ...change,
  };
  return JSON.parse(`{${await reader.profile("tenant", task, AbortSignal.timeout(60_000))}}`);
}

/** Reads one row by the engine's own functions. */
async function own(path: string, list: string): Promise<readonly unknown[]> {
  const [row = []] = await readDatabases([], `SELECT ${list} FROM '${path}'`);
  return row;
}

const texts = fc.constantFrom("", "a", "B", "é", "it's", "%_", "\u{1f986}", "x".repeat(300));
const columns = [
  ["BIGINT", fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  ["INTEGER", fc.integer({ min: -40, max: 40 }).map(String)],
  ["UBIGINT", fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)],
  ["DOUBLE", fc.double().map((value) => `'${value}'`)],
  ["DECIMAL(18,3)", fc.integer().map((value) => `${value / 1_000}`)],
  ["VARCHAR", texts.map((value) => `'${value.replaceAll("'", "''")}'`)],
  ["DATE", fc.integer({ min: -700_000, max: 2_900_000 }).map((day) => `DATE '1970-01-01' + ${day}`)],
  ["TIMESTAMP", fc.integer().map((ms) => `make_timestamp(${ms}000::BIGINT)`)],
  ["TIMESTAMP WITH TIME ZONE", fc.integer().map((ms) => `to_timestamp(${ms}.5)`)],
] as const;

it.each(columns)("counts the values of %s as the engine does", async (type, values) => {
  const rows = fc.array(fc.option(values), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const list = given.map((value) => `(CAST(${value ?? "NULL"} AS ${type}))`).join(", ");
      const path = await fileOf(`VALUES ${list}`);
      const profile = await profileOf(path, type);
      const [rowCount, present, distinct] = await own(path, "count(*), count(c0), count(DISTINCT c0)");
      expect([profile.rowCount, profile.nullCount].map(String)).toEqual([
        rowCount,
        String(Number(rowCount) - Number(present)),
      ]);
      expect([profile.distinctCount, profile.isDistinctExact]).toEqual([Number(distinct), true]);
      const counts = await readDatabases(
        [],
        `SELECT n FROM (SELECT c0, count(*) AS n FROM '${path}' WHERE c0 IS NOT NULL GROUP BY c0) ORDER BY n DESC LIMIT 20`,
      );
      expect(profile.frequentValues.map(({ count }) => String(count))).toEqual(counts.map(([count]) => String(count)));
      if (/INT|DECIMAL/.test(type)) {
        const [lowest, highest] = await own(path, "CAST(min(c0) AS VARCHAR), CAST(max(c0) AS VARCHAR)");
        const shown = (value: unknown) => (value === null ? null : Number(value));
        expect([profile.min, profile.max].map(shown)).toEqual([lowest, highest].map(shown));
      }
      await expectBins(path, type, profile);
    }),
    { numRuns: 3 },
  );
});

/** Counts the rows of each bin anew, by its bounds. */
async function expectBins(path: string, type: string, { bins }: Profile): Promise<void> {
  expect(bins.length).toBeLessThanOrEqual(30);
  if (type === "VARCHAR") return expect(bins).toEqual([]);
  const isDouble = type === "DOUBLE";
  const value = isDouble || type.startsWith("DECIMAL") ? "CAST(c0 AS DOUBLE)" : "c0";
  const typed = (bound: unknown) => `CAST('${bound}' AS ${value === "c0" ? type : "DOUBLE"})`;
  const finite = isDouble ? `isfinite(c0)` : "c0 IS NOT NULL";
  const counts = bins.map(({ from, to }, at) => {
    const end = at === bins.length - 1 ? "<=" : "<";
    return `count(*) FILTER (${finite} AND ${value} >= ${typed(from)} AND ${value} ${end} ${typed(to)})`;
  });
  const [total = 0, ...own_] = await own(path, [`count(*) FILTER (${finite})`, ...counts].join(", "));
  expect(bins.map(({ count }) => String(count))).toEqual(own_.map(String));
  expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(Number(total));
}

it("shows values as pages do, and cuts long texts", async () => {
  const wide = await profileOf(await fileOf("VALUES (9007199254740993), (1), (1), (NULL)"), "BIGINT");
  expect(wide).toMatchObject({ min: 1, max: "9007199254740993", rowCount: 4, nullCount: 1, distinctCount: 2 });
  expect(wide.frequentValues).toEqual([
    { value: 1, count: 2, isCut: false },
    { value: "9007199254740993", count: 1, isCut: false },
  ]);
  expect(wide.bins[0]?.from).toBe(1);
  expect(wide.bins.at(-1)?.to).toBe("9007199254740993");
  const long = await profileOf(await fileOf("VALUES (repeat('é', 201)), (repeat('é', 202)), ('\"')"), "VARCHAR");
  expect(long.distinctCount).toBe(3);
  expect(long.frequentValues).toEqual([
    { value: '"', count: 1, isCut: false },
    { value: "é".repeat(200), count: 1, isCut: true },
    { value: "é".repeat(200), count: 1, isCut: true },
  ]);
  expect([long.min, long.max]).toEqual(['"', "é".repeat(200)]);
  const odd = await profileOf(await fileOf("VALUES ('NaN'::DOUBLE), ('-inf'::DOUBLE), (1.5), (2.5)"), "DOUBLE");
  expect(odd).toMatchObject({ min: "-Infinity", max: "NaN", mean: 2, distinctCount: 4 });
  expect([odd.bins[0]?.from, odd.bins.at(-1)?.to, odd.bins.length]).toEqual([1.5, 2.5, 30]);
  const far = await profileOf(await fileOf("VALUES (-1.7e308::DOUBLE), (1.7e308)"), "DOUBLE");
  expect([far.bins.length, far.bins[0]?.count, far.bins.at(-1)?.count]).toEqual([30, 1, 1]);
  const days = await profileOf(await fileOf("VALUES (DATE '2026-11-20'), (DATE '2026-11-22'), ('infinity')"), "DATE");
  expect(days.bins.map(({ from, count }) => [from, count])).toEqual([
    ["2026-11-20", 1],
    ["2026-11-21", 0],
    ["2026-11-22", 1],
  ]);
  const lists = await profileOf(await fileOf("VALUES ([1, 2]), ([1, 2]), ([])"), "BIGINT[]");
  expect(lists).toMatchObject({ min: null, max: null, mean: null, bins: [], distinctCount: 2 });
  expect(lists.frequentValues[0]).toEqual({ value: "[1,2]", count: 2, isCut: false });
  const flags = await profileOf(await fileOf("VALUES (true), (false), (true)"), "BOOLEAN");
  expect(flags.frequentValues).toEqual([
    { value: true, count: 2, isCut: false },
    { value: false, count: 1, isCut: false },
  ]);
  expect(flags).toMatchObject({ min: null, max: null, bins: [] });
  const none = await profileOf(await fileOf("SELECT 1::BIGINT WHERE false"), "BIGINT", { rowCount: 0 });
  expect(none).toEqual({
    rowCount: 0,
    nullCount: 0,
    distinctCount: 0,
    isDistinctExact: true,
    min: null,
    max: null,
    mean: null,
    frequentValues: [],
    bins: [],
  });
});

it("agrees with SUMMARIZE on two million rows, and estimates the different values of more than five million", async () => {
  const rows = 2_000_000;
  const path = await fileOf(`SELECT CASE WHEN range % 10 > 0 THEN (range * 7919) % 100003 END FROM range(${rows})`);
  const [summary = []] = await readDatabases(
    [],
    `SELECT min, max, avg, count, round(null_percentage * count / 100) FROM (SUMMARIZE SELECT c0 FROM '${path}')`,
  );
  const exact = await profileOf(path, "BIGINT", { rowCount: rows });
  const [lowest, highest, mean, count, nulls] = summary.map(Number);
  expect([exact.min, exact.max, exact.rowCount, exact.nullCount]).toEqual([lowest, highest, count, nulls]);
  expect(Number(exact.mean)).toBeCloseTo(mean ?? 0, 3);
  expect(exact.distinctCount).toBe(100_003);
  const estimated = await profileOf(path, "BIGINT", { rowCount: 5_000_001 });
  expect(estimated.isDistinctExact).toBe(false);
  expect(Math.abs(estimated.distinctCount / 100_003 - 1)).toBeLessThan(0.2);
  expect(estimated.frequentValues.length).toBeLessThanOrEqual(20);
  expect(estimated.bins).toEqual(exact.bins);
});

it("counts the rows that meet conditions, and refuses a value that cannot be compared", async () => {
  const path = await fileOf("SELECT range FROM range(100)");
  const over = (value: string | number) => ({ conditions: [{ index: 0, operator: "gte" as const, values: [value] }] });
  expect(await profileOf(path, "BIGINT", over(90))).toMatchObject({ rowCount: 10, min: 90, max: 99, mean: 94.5 });
  await expect(profileOf(path, "BIGINT", over("x"))).rejects.toMatchObject({ failure: { name: "ValueError" } });
});

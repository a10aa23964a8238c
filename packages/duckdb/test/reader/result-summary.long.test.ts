import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Grouping, Measure, SummarizeQueryRunResultsResult } from "@quern/protocol/types";
import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { ResultReader } from "../../dist/reader/reader.js";
import type { SummaryTask } from "../../src/reader/task.ts";
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

let files = 0;

/** Writes rows as the file of a result. Returns its path. */
async function fileOf(rows: string): Promise<string> {
  files += 1;
  const path = join(directory, `run_${files}.1.parquet`);
  await inDuckDB(":memory:", `COPY (${rows}) TO '${path}' (FORMAT parquet)`);
  return path;
}

/** Engine type of a column, and its kind. */
type Typed = readonly [engineType: string, kind: ColumnKind];

const by = (column: number, more: Pick<Grouping, "bins" | "unit"> = {}) => ({ index: column, ...more });
const count = { function: "count", index: undefined } as const;
const of = (name: Measure["function"], column: number) => ({ function: name, index: column });

async function summaryOf(
  path: string,
  types: readonly Typed[],
  plan: Pick<SummaryTask, "groupBy" | "measures"> & Partial<SummaryTask>,
): Promise<SummarizeQueryRunResultsResult> {
  const columns = types.map(([engineType, kind], at): ResultColumn => ({ name: `n${at}`, kind, engineType }));
  const task: SummaryTask = {
    result: path,
    paths: [path],
    columns,
    rowCount: 100,
    maxGroups: 10_000,
    page: { number: 1, size: 0 },
    format: "csv",
    rowIndex: false,
    conditions: [],
    sortKeys: [],
    maxBytes: 1_000_000,
    ...plan,
  };
  return JSON.parse(await reader.summary("tenant", task, AbortSignal.timeout(60_000)));
}

/** SQL of the text of a time as a page shows it. */
const timeText = (cell: string): string => `strftime(${cell}, '%Y-%m-%dT%H:%M:%S.%gZ')`;

const int = (min: number, max: number) => fc.integer({ min, max }).map(String);
const columns: readonly (readonly [Typed, fc.Arbitrary<string>, (cell: string) => string])[] = [
  [["BIGINT", "number"], fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), String],
  [["INTEGER", "number"], int(-9, 9), String],
  [["UBIGINT", "number"], fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String), String],
  [["DOUBLE", "number"], fc.oneof(fc.double(), fc.constantFrom(0.1, 0.2, 0.3)).map((value) => `'${value}'`), String],
  [["FLOAT", "number"], fc.float().map((value) => `'${value}'`), String],
  [["DECIMAL(18,3)", "number"], fc.integer().map((value) => `${value / 1_000}`), String],
  [["VARCHAR", "string"], fc.constantFrom("''", "'a'", "'B'", "'é'", "'it''s'", "'\u{1f986}'"), String],
  [["DATE", "date"], int(-700_000, 2_900_000).map((day) => `DATE '1970-01-01' + ${day}`), String],
  [["TIMESTAMP", "date"], int(-(2 ** 40), 2 ** 40).map((ms) => `make_timestamp(${ms}000::BIGINT)`), timeText],
  [["TIMESTAMP WITH TIME ZONE", "date"], int(-(2 ** 31), 2 ** 31).map((s) => `to_timestamp(${s}.5)`), timeText],
];

/** Returns the number that a summary or the engine has written, such as `"NaN"`, `-inf` or 1e20. */
function numberOf(text: unknown): unknown {
  if (text === null || text === undefined) return null;
  return (
    Number(
      String(text)
        .replace(/inf$/, "Infinity")
        .replace(/^-?nan$/, "NaN"),
    ) + 0
  ); // no -0
}

it.each(columns)("summarizes rows of %s as SQL of the engine does", async (type, values, written) => {
  const [name, kind] = type;
  const isNumber = kind === "number";
  const row = fc.tuple(fc.option(values), fc.constantFrom("'x'", "'y'", "NULL"));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (rows) => {
      const list = rows.map(([value, word]) => `(CAST(${value ?? "NULL"} AS ${name}), ${word})`).join(", ");
      const path = await fileOf(`SELECT c0, CAST(c1 AS VARCHAR) AS c1 FROM (VALUES ${list}) AS given(c0, c1)`);
      const types: readonly Typed[] = [type, ["VARCHAR", "string"]];

      const bySeries = await summaryOf(path, types, {
        groupBy: [by(1), by(0)],
        measures: [count, of("count", 0), of("min", 1), of("countDistinct", 0)],
      });
      const own = await readDatabases(
        [],
        `SELECT c1, CAST(${written("c0")} AS VARCHAR), count(*), count(c0), min(c1), count(DISTINCT c0) FROM '${path}'
         GROUP BY c1, c0 ORDER BY c1 NULLS LAST, c0 NULLS LAST`,
      );
      expect(bySeries.groupCount).toBe(own.length);
      expect(bySeries.rowCount).toBe(rows.length);
      const comparable = (groups: readonly (readonly unknown[])[]) =>
        groups.map(([word, key, ...rest]) => [word, isNumber ? numberOf(key) : key, ...rest.map(String)]);
      expect(comparable(bySeries.groups)).toEqual(comparable(own));

      if (isNumber) await expectSums(path, types);
      if (kind === "date") await expectUnits(path, types, written);
      if (kind !== "string") await expectBins(path, types);
    }),
    { numRuns: 2 },
  );
});

async function expectSums(path: string, types: readonly Typed[]): Promise<void> {
  const measures = [of("sum", 0), of("mean", 0), of("min", 0), of("max", 0)];
  const { groups } = await summaryOf(path, types, { groupBy: [by(1)], measures });
  const own = await readDatabases(
    [],
    `SELECT c1, CAST(sum(c0) AS VARCHAR), CAST(avg(c0) AS VARCHAR), CAST(min(c0) AS VARCHAR), CAST(max(c0) AS VARCHAR)
     FROM '${path}' GROUP BY c1 ORDER BY c1 NULLS LAST`,
  );
  expect(groups.map(([word]) => word)).toEqual(own.map(([word]) => word));
  const isExact = /INT|DECIMAL/.test(types[0]?.[0] ?? "");
  for (const [at, [, sum, mean, ...ends]] of groups.entries()) {
    const [, ownSum, ownMean, ...ownEnds] = own[at] ?? [];
    if (isExact && typeof sum === "string") expect(sum).toBe(ownSum);
    // The order in which doubles are added up is open.
    for (const [one, other] of [
      [sum, ownSum],
      [mean, ownMean],
    ]) {
      const [left, right] = [numberOf(one), numberOf(other)];
      if (typeof left === "number" && typeof right === "number" && Number.isFinite(left - right))
        expect(Math.abs(left - right)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(left), Math.abs(right), 1));
      else expect(left).toEqual(right);
    }
    expect(ends.map(numberOf)).toEqual(ownEnds.map(numberOf));
  }
}

const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;

async function expectUnits(path: string, types: readonly Typed[], written: (cell: string) => string): Promise<void> {
  for (const unit of units) {
    const { groups, keys } = await summaryOf(path, types, { groupBy: [by(0, { unit })], measures: [count] });
    expect(keys[0]?.unit).toBe(unit);
    const start = types[0]?.[0] === "DATE" ? `CAST(date_trunc('${unit}', c0) AS DATE)` : `date_trunc('${unit}', c0)`;
    const own = await readDatabases(
      [],
      `SET TimeZone = 'UTC'; SELECT CAST(${written("k")} AS VARCHAR), count(*) FROM (SELECT ${start} AS k FROM '${path}')
       GROUP BY k ORDER BY k NULLS LAST`,
    );
    expect(groups.map((group) => group.map(String))).toEqual(own.map((group) => group.map(String)));
  }
}

/** Counts the rows of each bin anew, by its bounds. */
async function expectBins(path: string, types: readonly Typed[]): Promise<void> {
  const [[type, kind] = ["", "number"]] = types;
  const isDouble = kind === "number" && !/INT/.test(type);
  const text = type === "FLOAT" ? "CAST(c0 AS VARCHAR)" : "c0";
  const value = isDouble ? `CAST(${text} AS DOUBLE)` : "c0";
  const typed = (bound: unknown): string => `CAST('${bound}' AS ${isDouble ? "DOUBLE" : type})`;
  for (const bins of [2, 33]) {
    const { groups, keys } = await summaryOf(path, types, { groupBy: [by(0, { bins })], measures: [count] });
    const ranges = keys[0]?.bins ?? [];
    expect(ranges.length).toBeLessThanOrEqual(bins);
    const counted = ranges.map(({ from, to }, at) => {
      const end = at === ranges.length - 1 ? "<=" : "<";
      return `count(*) FILTER (isfinite(${isDouble || kind === "date" ? value : "1.0"}) AND ${value} >= ${typed(from)} AND ${value} ${end} ${typed(to)})`;
    });
    const others = isDouble
      ? ["'-Infinity'", "'Infinity'", "'NaN'"].map((other) => `count(*) FILTER (${value} = CAST(${other} AS DOUBLE))`)
      : ["0", "0", "0"];
    const [own = []] = await readDatabases(
      [],
      `SET TimeZone = 'UTC'; SELECT ${[...counted, ...others, "count(*) FILTER (c0 IS NULL)"].join(", ")} FROM '${path}'`,
    );
    const names = [...ranges.map(({ from }) => from), "-Infinity", "Infinity", "NaN", null];
    const expected = new Map(names.map((name, at) => [name, String(own[at])]));
    expect(new Map(groups.map(([key, count]) => [key, String(count)]))).toEqual(
      new Map([...expected].filter(([, count]) => count !== "0")),
    );
  }
}

it("keeps every digit of sums, and shows days and times far away, lists and enums", async () => {
  const wide = await fileOf(
    "SELECT CAST(unnest(['170141183460469231731687303715884105727', '1']) AS VARCHAR) AS c0, unnest([9223372036854775807, 1]) AS c1, unnest([0.1, 0.2]::DECIMAL(38,20)[]) AS c2",
  );
  const types: readonly Typed[] = [
    ["HUGEINT", "number"],
    ["BIGINT", "number"],
    ["DECIMAL(38,20)", "number"],
  ];
  const [[, ...sums] = []] = (
    await summaryOf(wide, types, {
      groupBy: [by(1, { bins: 2 })],
      measures: [of("sum", 0), of("sum", 1), of("sum", 2), of("mean", 1)],
    })
  ).groups.slice(0, 1);
  expect(sums).toEqual([1, 1, 0.2, 1]);
  const all = await summaryOf(wide, types, {
    groupBy: [by(2, { bins: 2 })],
    measures: [of("max", 0), of("sum", 1)],
    conditions: [{ index: 1, operator: "gt", values: [1] }],
  });
  expect(all.groups).toEqual([[0.1, "170141183460469231731687303715884105727", "9223372036854775807"]]);

  const odd = await fileOf(
    `SELECT unnest([DATE '0001-01-15', DATE '5881000-05-05', 'infinity', '-infinity']) AS c0,
       unnest(['infinity'::TIMESTAMP, TIMESTAMP '12026-05-05 01:02:03', NULL, '-infinity']) AS c1,
       unnest([[1], [1], [], NULL]) AS c2, unnest(['low', 'high', 'low', 'high']) AS c3`,
  );
  const oddTypes: readonly Typed[] = [
    ["DATE", "date"],
    ["TIMESTAMP", "date"],
    ["BIGINT[]", "array"],
    ["ENUM('low', 'high')", "string"],
  ];
  const keysOf = async (group: SummaryTask["groupBy"][number]) =>
    (await summaryOf(odd, oddTypes, { groupBy: [group], measures: [count] })).groups;
  expect(await keysOf(by(0, { unit: "quarter" }))).toEqual([
    ["-infinity", 1],
    ["0001-01-01", 1],
    ["+5881000-04-01", 1],
    ["infinity", 1],
  ]);
  expect(await keysOf(by(1, { unit: "day" }))).toEqual([
    ["-infinity", 1],
    ["+012026-05-05T00:00:00.000Z", 1],
    ["infinity", 1],
    [null, 1],
  ]);
  expect(await keysOf(by(1, { bins: 5 }))).toEqual([
    ["-infinity", 1],
    ["+012026-05-05T01:02:03.000Z", 1],
    ["infinity", 1],
    [null, 1],
  ]);
  expect(await keysOf(by(2))).toEqual([
    ["[1]", 2],
    ["[]", 1],
    [null, 1],
  ]);
  expect(await keysOf(by(3))).toEqual([
    ["low", 2],
    ["high", 2],
  ]);
});

it("summarizes millions of rows, and refuses more groups than fit into memory", async () => {
  const rows = 2_000_000;
  const path = await fileOf(`SELECT range AS c0, CAST(range % 1000003 AS DOUBLE) / 7 AS c1 FROM range(${rows})`);
  const types: readonly Typed[] = [
    ["BIGINT", "number"],
    ["DOUBLE", "number"],
  ];
  const bins = await summaryOf(path, types, {
    rowCount: rows,
    groupBy: [by(1, { bins: 1_000 })],
    measures: [count, of("mean", 0)],
  });
  expect([bins.rowCount, bins.groupCount, bins.keys[0]?.bins?.length]).toEqual([rows, 1_000, 1_000]);
  const bounds = (bins.keys[0]?.bins ?? []).map(({ from }) => `'${from}'`);
  const own = await readDatabases(
    [],
    `SELECT bound, count(*) FROM '${path}' ASOF JOIN (SELECT unnest(CAST([${bounds}] AS DOUBLE[])) AS bound) ON c1 >= bound
     GROUP BY bound ORDER BY bound`,
  );
  expect(bins.groups.map(([from, count]) => [Number(from), String(count)])).toEqual(
    own.map(([from, count]) => [Number(from), String(count)]),
  );
  const estimated = await summaryOf(path, types, {
    rowCount: 5_000_001,
    maxGroups: 1,
    groupBy: [by(1, { bins: 2 })],
    measures: [of("countDistinct", 1)],
  });
  expect([estimated.groupCount, estimated.groups.length, estimated.measures[0]?.isExact]).toEqual([2, 1, false]);
  expect(Math.abs(Number(estimated.groups[0]?.[1]) / 500_002 - 1)).toBeLessThan(0.2);
  const many = await fileOf("SELECT range AS c0, 1.0::DOUBLE AS c1 FROM range(6000000)");
  const refused = summaryOf(many, types, { rowCount: 6_000_000, groupBy: [by(0)], measures: [count] });
  await expect(refused).rejects.toMatchObject({ failure: { name: "TooManyGroups" } });
  const large = summaryOf(path, types, { maxBytes: 100, groupBy: [by(0, { bins: 50 })], measures: [count] });
  await expect(large).rejects.toMatchObject({ failure: { name: "SummaryTooLarge" } });
});

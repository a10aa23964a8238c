import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";

/** Types with two values each; the engine orders the first before the second. */
const pairs = [
  ["bigint", "-9007199254740993", "9007199254740993"],
  ["hugeint", "9", "170141183460469231731687303715884105727"],
  ["hugeint", "9", "10"],
  ["uhugeint", "9", "340282366920938463463374607431768211455"],
  ["bignum", "9", "10"],
  ["decimal(20,2)", "9.5", "10.25"],
  ["float", "0.1", "16777216"],
  ["double", "0.1", "1e300"],
  ["double", "1e300", "'nan'"],
  ["boolean", "false", "true"],
  ["varchar", "'10'", "'9'"],
  ["date", "'0044-03-15 (BC)'", "'2026-11-20'"],
  ["date", "'2026-11-20'", "'12026-01-02'"],
  ["timestamp", "'2026-11-20 09:30:00.1205'", "'2026-11-20 10:00:00'"],
  ["timestamp", "'0044-03-15 (BC) 01:02:03'", "'12026-01-02 01:02:03'"],
  ["timestamp_s", "'2026-11-20 09:30:00'", "'2026-11-20 10:00:00'"],
  ["timestamp_ms", "'2026-11-20 09:30:00.12'", "'2026-11-20 09:30:00.5'"],
  ["timestamp_ns", "'2026-11-20 09:30:00.123456789'", "'2026-11-20 09:30:00.123456790'"],
  ["timestamptz", "'2026-11-20 09:30:00+02'", "'2026-11-20 08:30:00+00'"],
  ["time", "'09:30:00.5'", "'10:00:00'"],
  ["timetz", "'10:00:00+02'", "'09:30:00+00'"],
  ["time_ns", "'09:30:00.123456789'", "'10:00:00'"],
  ["interval", "'2 days'", "'10 days'"],
  ["interval", "'40 days'", "'2 months'"],
  ["uuid", "'0f7e657f-077d-45db-a369-b7889c3ffc9b'", "'6f7e657f-077d-45db-a369-b7889c3ffc9b'"],
  ["blob", "'\\x07'", "'\\xFF\\x00a'"],
  ["bit", "'0111'", "'1000'"],
  ["bit", "'01110'", "'0111'"],
  ["enum('medium', 'large')", "'medium'", "'large'"],
] as const;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(pairs.map(([type, low, high]) => ({ type, low, high })))("of $type: $low and $high", (pair) => {
  let queryRunId: string;
  /** Returns a page of rows, which the format csv has as arrays. */
  const page = async (view: object) => {
    const { columnTypes, rows } = await server.results({ queryRunId, ...view });
    return { types: columnTypes ?? [], rows: rows as readonly (readonly unknown[])[] };
  };
  const ns = async (view: object) => (await page(view)).rows.map(([n]) => n);
  beforeAll(async () => {
    const value = (text: string) => `(${text})::${pair.type}`;
    const run = await server.run(
      `select * from (values (2, ${value(pair.high)}), (1, ${value(pair.low)}), (0, null)) t(n, v)`,
    );
    expect(run.errorMessage).toBeNull();
    queryRunId = run.id;
  });

  it("the values of a page find their rows, and no others", async () => {
    const { types, rows } = await page({});
    const [high, low] = rows.map(([, value]) => value);
    const found = async (comparison: object) => ns({ filters: [{ column: "v", ...comparison }] });
    expect(await found({ eq: high })).toEqual([2]);
    expect(await found({ in: [low] })).toEqual([1]);
    expect(await found({ notIn: [low, null] })).toEqual([2]);
    expect(await found({ gt: low })).toEqual([2]);
    expect(await found({ lte: low })).toEqual([1]);
    if (types[1] === "string") expect(await found({ like: low })).toEqual([1]);
  });

  it("the order is the engine's", async () => {
    expect(await ns({ sortBy: [{ column: "v", direction: "asc" }] })).toEqual([1, 2, 0]);
    expect(await ns({ sortBy: [{ column: "v", direction: "desc" }] })).toEqual([2, 1, 0]);
  });
});

it.each(["tinyint", "bigint", "ubigint", "decimal(5,2)", "decimal(18,0)"])(
  "a text with more digits than %s has is not rounded",
  async (type) => {
    const { id } = await server.run(`select unnest([3, 2])::${type} as v`);
    const count = async (comparison: object) =>
      (await server.results({ queryRunId: id, filters: [{ column: "v", ...comparison }] })).page?.totalRows;
    expect(await count({ eq: "2.9999" })).toBe(0);
    expect(await count({ in: ["2.9999", "2.0"] })).toBe(1);
    expect(await count({ gt: "2.9999" })).toBe(1);
    expect(await count({ lte: "2.9999" })).toBe(1);
  },
);

it("lists are ordered by their elements, as in the engine", async () => {
  const lists = "([interval '10 days'], [10::hugeint]), ([interval '2 days'], [9::hugeint])";
  const { id } = await server.run(`select * from (values ${lists}) t(intervals, numbers)`);
  for (const column of ["intervals", "numbers"]) {
    const page = await server.results({ queryRunId: id, sortBy: [{ column, direction: "asc" }] });
    expect(page.rows).toEqual([
      [["2 days"], [9]],
      [["10 days"], [10]],
    ]);
  }
});

describe("of JSON values and variants", () => {
  const values = [`'"x"'::JSON, 'x'::VARIANT`, "'5'::JSON, 5::VARIANT", "'true'::JSON, true::VARIANT"];
  const last = [`'{"a":1.10}'::JSON, DATE '2026-11-20'::VARIANT`, "'null'::JSON, NULL"];

  it.each(["j", "v"])("the values of a page find their rows, and no others: %s", async (column) => {
    const rows = [...values, ...last].map((pair, n) => `select ${n} as n, ${pair}`).join(" union all ");
    const { id } = await server.run(`select * from (${rows}) t(n, j, v) order by n`);
    const found = async (comparison: object) =>
      (await server.results({ queryRunId: id, filters: [{ column, ...comparison }] })).rows?.map((row) =>
        Array.isArray(row) ? row[0] : row,
      );
    expect(await found({ eq: "x" })).toEqual([0]);
    expect(await found({ like: "x%" })).toEqual([0]);
    expect(await found({ eq: 5 })).toEqual([1]);
    expect(await found({ gte: 1 })).toEqual([1]);
    expect(await found({ eq: true })).toEqual([2]);
    expect(await found({ eq: column === "j" ? '{"a":1.10}' : "2026-11-20" })).toEqual([3]);
    expect(await found({ eq: null })).toEqual([4]);
    expect(await found({ neq: "x" })).toEqual([1, 2, 3]);
    expect(await found({ neq: 5 })).toEqual([0, 2, 3]);
    expect(await found({ in: ["x", 5, null] })).toEqual([0, 1, 4]);
    expect(await found({ notIn: ["x", 5] })).toEqual([2, 3, 4]);
  });
});

it("finds the rows that differ from a text that an ENUM lacks", async () => {
  const rows = ["'a'", "'b'", "NULL"].map((value) => `SELECT ${value}::ENUM('a', 'b') AS word`).join(" UNION ALL ");
  const { id } = await server.run(rows);
  const found = async (comparison: object) =>
    (await server.results({ queryRunId: id, filters: [{ column: "word", ...comparison }] })).rows;
  expect(await found({ neq: "z" })).toEqual([["a"], ["b"]]);
  expect(await found({ neq: "a" })).toEqual([["b"]]);
  expect(await found({ eq: "z" })).toEqual([]);
  expect(await found({ notIn: ["z"] })).toEqual([["a"], ["b"], [null]]);
});

import { describe, expect, it } from "vitest";
import { createMockServer, type MockServerOptions, type Rows } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

const cars = {
  columns: ["Origin", "cars"],
  rows: [
    ["USA", 254],
    ["Japan", 79],
    ["Europe", 73],
    [null, 0],
    ["Japan", 100],
  ],
};

/** Creates a run with these rows, and returns its results. */
async function resultOf(rows: Rows, options: MockServerOptions = {}) {
  const mock = createMockServer(options);
  mock.when("select").rows(rows);
  const { call, failure, create, poll } = callerOf(mock);
  const queryRunId = await create("select");
  await poll(queryRunId);
  return {
    mock,
    get: (params: object = {}) => call("getQueryRunResults", { queryRunId, ...params }),
    refused: (params: object) => failure("getQueryRunResults", { queryRunId, ...params }),
  };
}

describe("rows", () => {
  it("are arrays in csv and objects in json", async () => {
    const { get } = await resultOf(cars);
    const page = { number: 1, size: 1 };
    expect(await get({ page })).toMatchObject({
      format: "csv",
      columnNames: ["Origin", "cars"],
      columnTypes: ["string", "number"],
      rows: [["USA", 254]],
    });
    expect((await get({ page, format: "json" })).rows).toEqual([{ origin: "USA", cars: 254 }]);
  });

  it("keep repeated and odd column names", async () => {
    const { get } = await resultOf({ columns: ["n", "N", "__proto__"], rows: [[1, 2, 3]] });
    expect(JSON.stringify((await get({ format: "json" })).rows)).toBe('[{"n":1,"n_2":2,"__proto__":3}]');
  });

  it("are sent without loss", async () => {
    const row = {
      big: 2n ** 64n,
      small: 5n,
      none: Number.NaN,
      at: new Date(0),
      bytes: new Uint8Array([255, 0]),
      list: [1n],
      missing: null,
    };
    const { get } = await resultOf([row]);
    const { rows, columnTypes } = await get();
    expect(rows).toEqual([["18446744073709551616", 5, "NaN", "1970-01-01T00:00:00.000Z", "/wA=", [1], null]]);
    expect(columnTypes).toEqual(["number", "number", "number", "date", "string", "array", "unknown"]);
  });

  it("have the engine's types that a test names, in the result, its run and a description", async () => {
    const mock = createMockServer();
    const { call, create, poll } = callerOf(mock);
    const columns = [
      "n",
      { name: "naive", type: "date" },
      { name: "zoned", type: "date", engineType: "TIMESTAMP WITH TIME ZONE" },
    ] as const;
    mock.when("select").rows({ columns, rows: [[1, null, null]] });
    const engineTypes = ["DOUBLE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"];
    const queryRunId = await create("select");
    await poll(queryRunId);
    expect((await call("getQueryRun", { queryRunId })).queryRun.columnEngineTypes).toEqual(engineTypes);
    expect((await call("getQueryRunResults", { queryRunId })).columnEngineTypes).toEqual(engineTypes);
    const described = await call("describeQuery", { sql: "select" });
    expect(described.columns.map(({ engineType }: { engineType: string }) => engineType)).toEqual(engineTypes);
    const rows = { columns: [{ name: "n", engineType: 7 as unknown as string }], rows: [] };
    expect(() => mock.when("select").rows(rows)).toThrow(
      "rows: invalid engineType of column 0: expected a string, got 7",
    );
  });

  it("can be empty", async () => {
    const { get } = await resultOf({ columns: [{ name: "n", type: "number" }], rows: [] });
    expect(await get()).toMatchObject({ rows: [], columnTypes: ["number"], page: { totalRows: 0, totalPages: 0 } });
  });

  it("are the document's example if no stub matches", async () => {
    const { call, create, poll } = callerOf(createMockServer());
    const queryRunId = await create("select something");
    await poll(queryRunId);
    expect((await call("getQueryRunResults", { queryRunId })).rows).toEqual([
      ["USA", 254],
      ["Japan", 79],
      ["Europe", 73],
    ]);
  });
});

describe("a page", () => {
  it.each([
    [{ number: 2, size: 2 }, ["Europe", null], 3],
    [{ number: 3, size: 2 }, ["Japan"], 3],
    [{ number: 4, size: 2 }, [], 3],
    [{ number: 1, size: 0 }, [], 0],
    [{ number: 1, size: 1_000_000 }, ["USA", "Japan", "Europe", null, "Japan"], 1],
    [{ number: 2, size: undefined }, [], 1],
  ])("of %o", async (page, origins, totalPages) => {
    const answer = await (await resultOf(cars)).get({ page });
    expect(answer.rows.map(([origin]: unknown[]) => origin)).toEqual(origins);
    expect(answer.page).toEqual({
      currentPageNumber: page.number,
      currentPageSize: page.size ?? 1_000,
      totalRows: 5,
      totalPages,
    });
  });

  it("with too many bytes is refused with a size that fits", async () => {
    const { get, refused } = await resultOf(
      { columns: ["text"], rows: Array.from({ length: 100 }, () => ["x".repeat(100)]) },
      { maxPageBytes: 1_000 },
    );
    const { code, data } = await refused({});
    expect(code).toBe(-32170);
    expect((await get({ page: { number: 1, size: data.maxPageSize } })).rows).toHaveLength(data.maxPageSize);
  });

  it("can have as many bytes as its limit, and no more", async () => {
    const first = async (length: number) =>
      resultOf({ columns: ["text"], rows: [["x".repeat(length)]] }, { maxPageBytes: 1_000 });
    expect((await (await first(993)).get()).rows).toHaveLength(1);
    expect(await (await first(994)).refused({})).toMatchObject({ code: -32174 });
  });

  it("never has a row that exceeds the limit of a page", async () => {
    const { get, refused } = await resultOf(
      { columns: ["text"], rows: [["a"], ["x".repeat(1_000)]] },
      { maxPageBytes: 1_000 },
    );
    expect((await get({ page: { number: 1, size: 1 } })).rows).toEqual([["a"]]);
    for (const page of [{ size: 2 }, { number: 2, size: 1 }])
      expect(await refused({ page })).toMatchObject({ code: -32174, data: { rowNumber: 1 } });
  });
});

describe("filters and sorting", () => {
  const origin = async (params: object) =>
    (await (await resultOf(cars)).get(params)).rows.map(([name]: unknown[]) => name);

  it.each([
    [{ column: "ORIGIN", eq: "Japan" }, ["Japan", "Japan"]],
    [{ column: "origin", neq: "Japan" }, ["USA", "Europe"]],
    [{ column: "origin", eq: null }, [null]],
    [{ column: "cars", gte: 79, lt: 254 }, ["Japan", "Japan"]],
    [{ column: "cars", gt: "99" }, ["USA", "Japan"]],
    [{ column: "cars", lte: 0 }, [null]],
    [{ column: "origin", like: "_ap%" }, ["Japan", "Japan"]],
    [{ column: "origin", in: ["USA", null] }, ["USA", null]],
    [{ column: "origin", in_: ["USA"] }, ["USA"]],
    [{ column: "origin", notIn: ["USA", "Japan"] }, ["Europe", null]],
    [{ column: "origin", notIn: ["USA", null] }, ["Japan", "Europe", "Japan"]],
  ])("%o", async (filter, origins) => {
    expect(await origin({ filters: [filter] })).toEqual(origins);
  });

  it("refuses a filter without a comparison", async () => {
    const { refused } = await resultOf(cars);
    const error = await refused({
      filters: [
        { column: "cars", gt: 1 },
        { column: "cars", like: null },
      ],
    });
    expect(error).toMatchObject({ code: -32602, data: { issues: [{ pointer: "/params/0/filters/1" }] } });
  });

  it("sorts stably by several columns, nulls last", async () => {
    expect(
      await origin({
        sortBy: [
          { column: "origin", direction: "desc" },
          { column: "cars", direction: "asc" },
        ],
      }),
    ).toEqual(["USA", "Japan", "Japan", "Europe", null]);
  });

  it("counts the rows that pass the filters", async () => {
    const { get } = await resultOf(cars);
    expect((await get({ filters: [{ column: "cars", gt: 75 }], page: { number: 1, size: 2 } })).page).toMatchObject({
      totalRows: 3,
      totalPages: 2,
    });
  });

  it("compares numbers that are sent as strings as numbers", async () => {
    const { get } = await resultOf([{ n: 2n ** 70n }, { n: 3 }, { n: 2n ** 65n }]);
    const { rows } = await get({ sortBy: [{ column: "n", direction: "asc" }] });
    expect(rows.map(([n]: unknown[]) => n)).toEqual([3, String(2n ** 65n), String(2n ** 70n)]);
  });

  it.each([{ filters: [{ column: "colour", eq: 1 }] }, { sortBy: [{ column: "colour", direction: "asc" }] }])(
    "refuses an unknown column in %o",
    async (params) => {
      const { refused } = await resultOf(cars);
      expect(await refused(params)).toMatchObject({
        code: -32156,
        data: { column: "colour", columns: ["Origin", "cars"] },
      });
    },
  );
});

describe("a page above the limit of bytes", () => {
  // Each row of three letters has eight bytes with its comma, and the array has two more.
  const rows = { columns: ["text"], rows: [["abc"], ["abc"], ["abc"], ["x".repeat(50)]] };

  it.each([
    [{ number: 1, size: 2 }, 18],
    [{ number: 1, size: 3 }, 26],
    [{ number: 3, size: 1 }, 10],
    [{ number: 4, size: 1 }, 57],
  ])("of the rows %j has more than %i bytes", async (page, bytes) => {
    expect((await (await resultOf(rows, { maxPageBytes: bytes })).get({ page })).rows).toHaveLength(page.size);
    const error = await (await resultOf(rows, { maxPageBytes: bytes - 1 })).refused({ page });
    expect([-32_170, -32_174]).toContain(error.code);
  });

  it("is refused with 90 % of the size that fits, or with the row that never does", async () => {
    const many = { columns: ["text"], rows: Array.from({ length: 30 }, () => ["abc"]) };
    const { refused } = await resultOf(many, { maxPageBytes: 22 * 8 + 2 });
    for (const page of [{ size: 23 }, { size: 30 }, {}])
      expect(await refused({ page })).toMatchObject({ code: -32_170, data: { maxPageSize: 19 } });
    const large = await resultOf(rows, { maxPageBytes: 18 });
    const error = await large.refused({ page: { number: 4, size: 1 } });
    expect(error).toMatchObject({ code: -32_174, data: { rowNumber: 3 } });
  });

  it("counts the bytes of letters, and of objects in json", async () => {
    const limited = (maxPageBytes: number) => resultOf({ columns: ["n"], rows: [["ü"]] }, { maxPageBytes });
    expect((await (await limited(9)).get()).rows).toEqual([["ü"]]);
    expect((await (await limited(13)).get({ format: "json" })).rows).toEqual([{ n: "ü" }]);
    expect((await (await limited(8)).refused({})).code).toBe(-32_174);
    expect((await (await limited(12)).refused({ format: "json" })).code).toBe(-32_174);
  });
});

describe("a result", () => {
  it("has no other format", async () => {
    const { refused } = await resultOf(cars);
    expect(await refused({ format: "xml" })).toMatchObject({ code: -32153, data: { supported: ["csv", "json"] } });
  });

  it("has its statement, its format, its run and no other run", async () => {
    const { get } = await resultOf(cars);
    const first = await get();
    expect(first).toMatchObject({
      sql: "select",
      format: "csv",
      redirectedToQueryRun: null,
      page: { currentPageNumber: 1, currentPageSize: 1_000, totalRows: 5, totalPages: 1 },
      originalQueryRun: { id: "run_1", state: "QUERY_STATE_SUCCESS" },
    });
    expect((await get({ page: { size: 2 } })).rows).toEqual(cars.rows.slice(0, 2));
    expect(await get({ page: { number: 2, size: 2 }, format: "json" })).toMatchObject({
      format: "json",
      rows: [
        { origin: "Europe", cars: 73 },
        { origin: null, cars: 0 },
      ],
      page: { currentPageNumber: 2, currentPageSize: 2 },
    });
  });

  it("is there when the end of its run is due", async () => {
    const mock = createMockServer();
    mock
      .when("select")
      .rows([{ n: 1 }])
      .after("30s");
    const { call, create } = callerOf(mock);
    const queryRunId = await create("select");
    mock.clock.advance("30s");
    expect((await call("getQueryRunResults", { queryRunId })).rows).toEqual([[1]]);
  });

  it("is gone after its retention time", async () => {
    const { mock, get, refused } = await resultOf(cars);
    const archivedAt = new Date(mock.clock.now() + 3_600_000).toISOString();
    mock.clock.advance("59m");
    await get();
    mock.clock.advance("2m");
    expect(await refused({})).toMatchObject({ code: -32172, data: { archivedAt } });
  });
});

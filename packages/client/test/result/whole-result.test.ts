import { describe, expect, it } from "vitest";
import {
  columnsOf,
  createClient,
  type QueryResult,
  query,
  rowKeysOf,
  rowPageOf,
  rowsOf,
  wholeResultOf,
} from "../../src/index.ts";
import { finishedQuery, numbers } from "../support/finished-query.ts";
import { each, startServer } from "../support/scripted-server.ts";

describe("columns", () => {
  it("are the same from arrays and from objects, except for the case of their names", async () => {
    const columnNames = ["Country", "2021", "2020", "A", "a", "a_2"];
    await using csv = await finishedQuery({ columnNames, rows: [["AT", 21, 20, 1, 2, 3]] });
    const object = { country: "AT", 2021: 21, 2020: 20, a: 1, a_3: 2, a_2: 3 };
    await using json = await finishedQuery({ columnNames, rows: [object] }, { format: "json" });
    expect(rowKeysOf(csv.result.first)).toEqual(["Country", "2021", "2020", "A", "a_3", "a_2"]);
    expect(rowKeysOf(json.result.first)).toEqual(["country", "2021", "2020", "a", "a_3", "a_2"]);
    for (const { result } of [csv, json]) {
      const keys = rowKeysOf(result.first);
      expect(rowKeysOf(result)).toEqual(keys);
      for (const read of [await rowPageOf(result), await wholeResultOf(result)]) {
        expect([read.rowKeys, rowKeysOf(read)]).toEqual([keys, keys]);
      }
    }
    expect(await Array.fromAsync(rowsOf(json.result))).toEqual([object]);
    const values = [["AT"], [21], [20], [1], [2], [3]];
    expect([...(await columnsOf(csv.result)).values()]).toEqual(values);
    expect([...(await columnsOf(json.result)).values()]).toEqual(values);
  });

  it("contain the values by name", async () => {
    await using query = await finishedQuery(
      {
        columnNames: ["a", "a"],
        rows: [
          [1, "x"],
          [2, "y"],
        ],
      },
      { pageSize: 1 },
    );
    expect([...(await columnsOf(query.result))]).toEqual([
      ["a", [1, 2]],
      ["a_2", ["x", "y"]],
    ]);
  });
});

describe("maxRows", () => {
  const read = {
    rowsOf: (result: QueryResult, maxRows: number) => Array.fromAsync(rowsOf(result, { maxRows })),
    columnsOf: async (result: QueryResult, maxRows: number) => [...(await columnsOf(result, { maxRows })).values()][0],
  };

  it.each(Object.entries(read))("makes %s refuse a larger result by its first page", async (_name, whole) => {
    await using query = await finishedQuery({ rows: numbers(10) }, { pageSize: 2 });
    const { result } = query;
    await expect(whole(result, 9)).rejects.toMatchObject({
      kind: "protocol",
      queryRunId: "a",
      message:
        "Result too large for maxRows 9: it has 10 rows; limit the statement, read single pages, or raise maxRows",
    });
    expect(query.pages().length).toBeLessThanOrEqual(2);
    await expect(whole(result, 10)).resolves.toHaveLength(10);
  });

  it("is 1,000,000 for a whole result", async () => {
    const page = { totalRows: 1_000_001 };
    await using server = await startServer(
      each(({ method }) =>
        method === "getQueryRunResults"
          ? { result: { columnNames: ["n"], columnTypes: ["number"], rows: [[1]], page } }
          : { result: { queryRequest: { queryRunId: "a" }, queryRun: { id: "a", state: "QUERY_STATE_SUCCESS" } } },
      ),
    );
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    await expect(wholeResultOf(result)).rejects.toThrow("Result too large for maxRows 1000000: it has 1000001 rows");
  });

  it("ends the iteration if the service reports no row count", async () => {
    await using query = await finishedQuery({ rows: numbers(10), strict: true }, { pageSize: 4 });
    const { result } = query;
    await expect(read.rowsOf(result, 7)).rejects.toThrow("Result too large for maxRows 7: it has at least 8 rows");
    await expect(read.rowsOf(result, 10)).resolves.toHaveLength(10);
  });
});

import type { SummarizeQueryRunResultsParams, SummarizeQueryRunResultsResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    kind: await oneProcessKind(),
    limits: { maxSmallResultBytes: 500, maxPageBytes: 2_000 },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const count = { function: "count" } as const;
const summary = ({ measures = [count], ...params }: Partial<SummarizeQueryRunResultsParams>) =>
  server.call<SummarizeQueryRunResultsResult>("summarizeQueryRunResults", { measures, ...params });

it("summarizes a small result and one in a file, whatever its columns are called", async () => {
  for (const rows of [6, 6_000]) {
    const { id: queryRunId } = await server.run(
      `select range as id, range % 3 as "toString", 'x' as "a""b", date '2026-01-30' + (range % 3)::int as day from range(${rows})`,
    );
    const sum = { function: "sum", column: 'A"B' } as const;
    const groupBy = [{ column: "TOSTRING" }, { column: 'a"b' }];
    const measures = [
      { function: "max", column: "id" },
      { function: "countDistinct", column: 'a"b' },
    ] as const;
    const filters = [{ column: "id", lt: rows - 1 }];
    expect(await summary({ queryRunId, groupBy, measures, filters })).toEqual({
      rowCount: rows - 1,
      groupCount: 3,
      keys: [
        { column: "tostring", type: "number", engineType: "BIGINT", unit: null, bins: null },
        { column: 'a"b', type: "string", engineType: "VARCHAR", unit: null, bins: null },
      ],
      measures: [
        { function: "max", column: "id", type: "number", isExact: true },
        { function: "countDistinct", column: 'a"b', type: "number", isExact: true },
      ],
      groups: [
        [0, "x", rows - 3, 1],
        [1, "x", rows - 2, 1],
        [2, "x", rows - 4, 1],
      ],
    });
    const bins = await summary({ queryRunId, groupBy: [{ column: "id", bins: 2 }] });
    expect(bins.keys[0]?.bins).toEqual([
      { from: 0, to: rows / 2 },
      { from: rows / 2, to: rows - 1 },
    ]);
    expect(bins.groups).toEqual([
      [0, rows / 2],
      [rows / 2, rows / 2],
    ]);
    const months = await summary({ queryRunId, groupBy: [{ column: "day", unit: "month" }], limit: 1 });
    expect([months.groups, months.groupCount]).toEqual([[["2026-01-01", (rows / 3) * 2]], 2]);
    await expect(summary({ queryRunId, groupBy: [{ column: "id" }], measures: [sum] })).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/measures/0/column", received: "a column of the type string" }] },
    });
  }
});

it("refuses unknown runs and columns, groups and measures that a column cannot have, and runs without a result", async () => {
  const { id: queryRunId } = await server.run("select 1 as n, 'a' as word, current_timestamp as at");
  const groupBy = [{ column: "n" }];
  await expect(summary({ queryRunId: "unknown", groupBy })).rejects.toMatchObject({ code: -32099 });
  const unknown = [
    [{ groupBy: [{ column: "m" }] }, "groupBy"],
    [{ groupBy, measures: [{ function: "sum", column: "m" }] }, "measures"],
    [{ groupBy, filters: [{ column: "m", eq: 1 }] }, "filters"],
  ] as const;
  for (const [params, member] of unknown)
    await expect(summary({ queryRunId, ...params })).rejects.toMatchObject({
      code: -32156,
      message: `Unknown column in "${member}": "m"; use one of: "n", "word", "at"`,
      data: { member, column: "m", columns: ["n", "word", "at"] },
    });
  const invalid = [
    [{ groupBy: [{ column: "word", bins: 2 }] }, "groupBy/0/bins"],
    [{ groupBy: [{ column: "n" }, { column: "n", unit: "day" }] }, "groupBy/1/unit"],
    [{ groupBy: [{ column: "at", unit: "day", bins: 2 }] }, "groupBy/0"],
    [{ groupBy: [{ column: "at", unit: "fortnight" }] }, "groupBy/0/unit"],
    [{ groupBy, measures: [count, { function: "mean", column: "at" }] }, "measures/1/column"],
    [{ groupBy, measures: [{ function: "max" }] }, "measures/0/column"],
    [{ groupBy, filters: [{ column: "n", eq: "x" }] }, "filters"],
  ] as const;
  for (const [params, pointer] of invalid)
    await expect(
      server.call("summarizeQueryRunResults", { queryRunId, measures: [count], ...params }),
    ).rejects.toMatchObject({ code: -32602, data: { issues: [{ pointer: `/params/0/${pointer}` }] } });
  const failed = await server.run("select nope");
  await expect(summary({ queryRunId: failed.id, groupBy })).rejects.toMatchObject({ code: -32151 });
});

it("refuses a summary that is larger than a page, and a sum that has too many digits", async () => {
  const { id: queryRunId } = await server.run(
    "select range as n, repeat('9', 38)::decimal(38,0) as d from range(3000)",
  );
  const groupBy = [{ column: "n" }];
  await expect(summary({ queryRunId, groupBy })).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: "/params/0/limit" }] },
  });
  expect((await summary({ queryRunId, groupBy, limit: 3 })).groups.length).toBe(3);
  const sum = summary({ queryRunId, groupBy: [{ column: "d" }], measures: [{ function: "sum", column: "d" }] });
  await expect(sum).rejects.toMatchObject({ code: -32602, data: { issues: [{ pointer: "/params/0/measures" }] } });
});

it("shows another user nothing", async () => {
  const { id: queryRunId } = await server.run("select 1 as n");
  const other = await caller(server, { scopes: ["read"], user: "eve" });
  const params = { queryRunId, groupBy: [{ column: "n" }], measures: [count] };
  expect(await other.call("summarizeQueryRunResults", params)).toMatchObject({ error: { code: -32099 } });
});

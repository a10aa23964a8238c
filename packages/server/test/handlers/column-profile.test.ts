import type { GetColumnProfileParams, GetColumnProfileResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind(), limits: { maxSmallResultBytes: 100 } });
});
afterAll(() => server[Symbol.asyncDispose]());

const profile = (params: GetColumnProfileParams) => server.call<GetColumnProfileResult>("getColumnProfile", params);

it("profiles a column of a small result and of one in a file", async () => {
  for (const rows of [3, 3_000]) {
    const { id: queryRunId } = await server.run(`select range as n, 'row ' || range as label from range(${rows})`);
    expect(await profile({ queryRunId, column: "N" })).toMatchObject({
      column: "n",
      type: "number",
      engineType: "BIGINT",
      rowCount: rows,
      nullCount: 0,
      distinctCount: rows,
      min: 0,
      max: rows - 1,
      mean: (rows - 1) / 2,
    });
    const filters = [{ column: "n", lt: 2 }];
    const { frequentValues, rowCount } = await profile({ queryRunId, column: "label", filters });
    expect([rowCount, frequentValues]).toEqual([
      2,
      ["row 0", "row 1"].map((value) => ({ value, count: 1, isCut: false })),
    ]);
  }
});

it("refuses unknown runs and columns, invalid filters, and runs without a result", async () => {
  const { id: queryRunId } = await server.run("select 1 as n");
  await expect(profile({ queryRunId: "unknown", column: "n" })).rejects.toMatchObject({ code: -32099 });
  await expect(profile({ queryRunId, column: "m" })).rejects.toMatchObject({
    code: -32156,
    data: { column: "m", columns: ["n"] },
  });
  const unknown = profile({ queryRunId, column: "n", filters: [{ column: "m", eq: 1 }] });
  await expect(unknown).rejects.toMatchObject({ code: -32156 });
  const wrong = profile({ queryRunId, column: "n", filters: [{ column: "n", eq: "x" }] });
  await expect(wrong).rejects.toMatchObject({ code: -32602, data: { issues: [{ pointer: "/params/0/filters" }] } });
  const failed = await server.run("select nope");
  await expect(profile({ queryRunId: failed.id, column: "n" })).rejects.toMatchObject({ code: -32151 });
});

it("shows another user nothing", async () => {
  const { id: queryRunId } = await server.run("select 1 as n");
  const other = await caller(server, { scopes: ["read"], user: "eve" });
  expect(await other.call("getColumnProfile", { queryRunId, column: "n" })).toMatchObject({ error: { code: -32099 } });
});

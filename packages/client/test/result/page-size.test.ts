import { expect, it } from "vitest";
import { createClient, query, rowsOf } from "../../src/index.ts";
import { finishedQuery, numbers } from "../support/finished-query.ts";
import { each, startServer } from "../support/scripted-server.ts";
import { service } from "../support/scripted-service.ts";

type Request = Parameters<typeof finishedQuery>;

/** Reads all rows of a query, checks their order, and returns the size of each page that was requested. */
async function sizesOf(...[options, request]: Request): Promise<readonly number[]> {
  await using query = await finishedQuery(options, request);
  const rows = await Array.fromAsync(rowsOf(query.result));
  expect(rows.findIndex((row, index) => row.n !== index)).toBe(-1);
  expect(rows).toHaveLength(options.rows?.length ?? 0);
  return query.pages().map((page) => (page as { size: number }).size);
}

/** Rows whose JSON has about 710 characters. */
const wideRows = (count: number) => Array.from({ length: count }, (_, index) => [index, "x".repeat(700)]);
const wide = { columnNames: ["n", "text"] };

it("narrow rows arrive in pages that grow to what was read before", async () => {
  expect(await sizesOf({ rows: numbers(100_000) })).toEqual([10_000, 10_000, 20_000, 40_000, 80_000]);
});

it("a page of narrow rows has at most 2 MB", async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => [index, "x".repeat(84)]);
  const sizes = await sizesOf({ ...wide, rows });
  // A row has about 95 characters, so that 21,053 rows fit.
  expect(sizes).toEqual([10_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
});

it("wide rows arrive in pages of 2 MB after the first page", async () => {
  const sizes = await sizesOf({ ...wide, rows: wideRows(19_000) });
  expect(sizes).toEqual([10_000, 2_500, 2_500, 2_500, 2_500]);
});

it("pages shrink when rows become wide, and stay small", async () => {
  const rows = numbers(60_000).map(([n = 0]) => [n, n >= 30_000 && n < 40_000 ? "x".repeat(700) : ""]);
  const sizes = await sizesOf({ ...wide, rows });
  // About 2,817 wide rows fit. The first 40,000 rows are 15 pages of 2,666; the ten rows that are left are read again.
  expect(sizes.slice(0, 4)).toEqual([10_000, 10_000, 20_000, 2_666]);
  expect(Math.max(...sizes.slice(3))).toBeLessThan(2_817);
});

it.each([{ pageSize: 7 }, { pageSize: 10_000 }])("the page size of the caller is kept: %j", async (request) => {
  const count = request.pageSize * 6;
  expect(await sizesOf({ rows: numbers(count) }, request)).toEqual(Array(6).fill(request.pageSize));
});

it("a service that refuses larger pages is asked once for one", async () => {
  const sizes = await sizesOf({ rows: numbers(90_000), maxPageSize: 15_000 });
  expect(sizes).toEqual([10_000, 10_000, 20_000, 10_000, 15_000, 15_000, 15_000, 15_000]);
});

it("a service that returns smaller pages is asked once for a larger one", async () => {
  expect(await sizesOf({ rows: numbers(70_000), cutsAt: 15_000 })).toEqual([
    10_000, 10_000, 20_000, 10_000, 15_000, 15_000, 15_000,
  ]);
  expect(await sizesOf({ rows: numbers(2_000), cutsAt: 500 })).toEqual([10_000, 500, 500, 500]);
});

it("a service that does not report its page size gets pages of one size", async () => {
  const options = { rows: numbers(50_000), strict: true, cutsAt: 10_000, end: { rowCount: 50_000 } };
  expect(await sizesOf(options)).toEqual(Array(5).fill(10_000));
});

it("a page that lacks rows before the end is an error, and not read on in pages of another size", async () => {
  const answers = service({ polls: 0, rows: numbers(5) });
  await using server = await startServer((exchange) => {
    const page = { currentPageSize: 10_000, totalRows: 5 };
    return exchange.calls[0]?.method === "getQueryRunResults"
      ? each(() => ({ result: { columnNames: ["n"], rows: [[0]], page } }))(exchange)
      : answers(exchange);
  });
  const result = query(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
  await expect(result).rejects.toMatchObject({
    kind: "protocol",
    queryRunId: "a",
    message: expect.stringMatching("ended at 1 of 5"),
  });
});

import { createClient, query, rowsOf } from "@quern/client";
import { http } from "msw";
import { setupServer } from "msw/node";
import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { listen } from "../../src/listen.ts";
import { mswHandlers } from "../../src/msw.ts";
import { callerOf } from "../caller.ts";

const rows = [
  { Name: "fiat 128", note: 'has "quotes", and a comma', year: 1971 },
  { Name: "ford pinto", note: "", year: 1974 },
  { Name: "amc gremlin", note: null, year: 1970 },
];

async function cars() {
  const mock = createMockServer();
  mock.when("select cars").rows(rows);
  const { call, create, poll } = callerOf(mock);
  const queryRunId = await create("select cars");
  await poll(queryRunId);
  const linkOf = async (params: object) => {
    const { url } = await call("getQueryRunDownload", { queryRunId, ...params });
    return new URL(url, mock.url);
  };
  return { mock, linkOf };
}

it("returns the filtered and sorted rows of a link as CSV, without a key", async () => {
  const { mock, linkOf } = await cars();
  const filters = [{ column: "year", gte: 1971 }];
  const sortBy = [{ column: "year", direction: "desc" }];
  const link = await linkOf({ format: "csv", filters, sortBy, fileName: "../Größe 70s" });
  const file = await mock.fetch(link);
  expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
  expect(file.headers.get("content-disposition")).toBe(
    `attachment; filename="Gr__e 70s.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%2070s.csv`,
  );
  expect(await file.text()).toBe('Name,note,year\nford pinto,"",1974\nfiat 128,"has ""quotes"", and a comma",1971\n');
});

it("returns JSON Lines with the keys of a page, named after the run", async () => {
  const { mock, linkOf } = await cars();
  const file = await mock.fetch(await linkOf({ format: "ndjson" }));
  expect(file.headers.get("content-disposition")).toBe('attachment; filename="run_1.ndjson"');
  const lines = (await file.text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map(({ Name: name, ...rest }) => ({ name, ...rest })));
});

it("refuses unknown links, links that have expired, other methods, and formats that it does not write", async () => {
  const { mock, linkOf } = await cars();
  const link = await linkOf({ format: "csv" });
  expect((await mock.fetch(new URL("/results/unknown", mock.url))).status).toBe(403);
  expect((await mock.fetch(link, { method: "POST" })).status).toBe(405);
  const parquet = await mock.fetch(await linkOf({ format: "parquet" }));
  expect([parquet.status, await parquet.text()]).toEqual([501, expect.stringContaining("use csv or ndjson")]);
  expect((await mock.fetch(link)).status).toBe(200);
  mock.clock.advance("15m");
  expect((await mock.fetch(link)).status).toBe(403);
});

it("lets pages on other origins read a file", async () => {
  const { mock, linkOf } = await cars();
  const link = await linkOf({ format: "csv" });
  const { status, headers } = await mock.fetch(link, { method: "OPTIONS" });
  expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect((await mock.fetch(link)).headers.get("access-control-expose-headers")).toBe("content-disposition");
});

it("is reached over HTTP and by MSW at the address of the service", async () => {
  const { mock, linkOf } = await cars();
  const { pathname } = await linkOf({ format: "csv" });
  await using server = await listen(mock);
  const overHttp = await fetch(`${server.url}${pathname}`);
  expect(overHttp.headers.get("content-disposition")).toBe('attachment; filename="run_1.csv"');
  expect(await overHttp.text()).toContain("ford pinto");
  const msw = setupServer(...mswHandlers(http, mock, "https://warehouse.example/v1.0"));
  msw.listen();
  try {
    expect(await (await fetch(new URL(pathname, "https://warehouse.example/v1.0"))).text()).toContain("ford pinto");
  } finally {
    msw.close();
  }
});

it("is how the client reads a large result", async () => {
  const mock = createMockServer();
  mock.when("select big").rows(Array.from({ length: 100_000 }, (_, n) => ({ N: n })));
  let sum = 0;
  for await (const { N } of rowsOf<{ N: number }>(await query(createClient(mock), { sql: "select big" }))) sum += N;
  expect(sum).toBe(4_999_950_000);
  expect(mock.history.callsOf("getQueryRunResults")).toHaveLength(0);
});

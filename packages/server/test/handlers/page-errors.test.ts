import { StatementError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import type { PageTask } from "@quern/duckdb";
import { preencodedBytes } from "@quern/json-rpc/handler";
import type { GetQueryRunResultsParams } from "@quern/protocol/types";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Context, Service } from "../../src/handlers/context.ts";
import { getQueryRunResults } from "../../src/handlers/get-query-run-results.ts";
import { createHandlers } from "../../src/handlers/handlers.ts";
import { createTestClock } from "../fixture.ts";

const clock = createTestClock();
const columns = [
  { name: "n", kind: "number", engineType: "INTEGER" },
  { name: "word", kind: "string", engineType: "VARCHAR" },
];
const run = {
  ...createRun({ ...submission().run, id: "run_a", tenantId: "acme", userId: "ann" }, clock.now()),
  state: "QUERY_STATE_SUCCESS",
  result: { columns, rowCount: 5, totalBytes: 7 },
} as RunRecord;

/** Asks for a page that the reader answers as given. */
function asked(answer: () => Promise<unknown>, params: Partial<GetQueryRunResultsParams> = {}, change: object = {}) {
  const release = vi.fn(async () => {});
  const open = vi.fn(async () => ({ paths: ["file"], release }));
  const page = vi.fn((_tenant: string, _task: PageTask, _signal: AbortSignal) => answer());
  const service = {
    store: { runs: { run: async () => run } },
    clock,
    results: { open },
    reader: { page },
    statementTexts: { of: async () => "select 1" },
    limits: { maxPageBytes: 1_000, filteredPageTimeoutSeconds: 30 },
    changes: { apply: async () => undefined },
    ...change,
  } as unknown as Service;
  const principal = { tenantId: "acme", userId: "ann", apiKeyId: "key", scopes: new Set(), sources: null };
  const context = { principal, signal: new AbortController().signal } as unknown as Context;
  const result = getQueryRunResults({ queryRunId: "run_a", ...params }, context, service);
  return { result, release, open, page, service, context };
}

const failing = (name: string, message = "Conversion Error: x\nLINE 1: select") => {
  return () => Promise.reject(new StatementError({ name, message, data: { category: "USER" } }));
};
const filters = [{ column: "n", eq: 1 }];
const sortBy = [{ column: "n", direction: "asc" } as const];
const issueAt = (pointer: string, expected: string) => ({
  data: { issues: [{ pointer: `/params/0${pointer}`, expected, received: "Conversion Error: x" }] },
});

it.each<[string, Partial<GetQueryRunResultsParams>, object]>([
  ["ValueError", { filters }, issueAt("/filters", "values that can be compared with their columns")],
  [
    "PageTimedOut",
    { filters, sortBy },
    issueAt("/filters", "a page that takes at most 30 seconds; filter and sort in the statement instead"),
  ],
  [
    "PageTimedOut",
    { sortBy },
    issueAt("/sortBy", "a page that takes at most 30 seconds; filter and sort in the statement instead"),
  ],
  ["TooManyPages", {}, { code: -32_029, data: { retryAfterMs: 1_000 }, headers: { "retry-after": "1" } }],
  ["OtherError", {}, { code: -32_099 }],
])("converts the error %s of the reader, and releases the result", async (name, params, error) => {
  const { result, release } = asked(failing(name), params);
  if (name === "OtherError") await expect(result).rejects.toMatchObject({ cause: { failure: { name } } });
  else await expect(result).rejects.toMatchObject(error);
  expect(release).toHaveBeenCalledOnce();
});

it("converts an error that is not of the statement, and a row or page that is too large", async () => {
  const cause = new Error("ValueError");
  await expect(asked(() => Promise.reject(cause)).result).rejects.toMatchObject({ cause });
  const large = { maxPageSize: 3, requestedPageSize: 5 };
  await expect(asked(async () => large).result).rejects.toMatchObject({ data: large });
  const row = { rowNumber: 3, rowBytes: 5, maxPageBytes: 4 };
  await expect(asked(async () => row).result).rejects.toMatchObject({ data: row });
});

it("refuses another format, an unknown column and a filter without a comparison", async () => {
  const none = async () => undefined;
  await expect(asked(none, { format: "xml" as never }).result).rejects.toMatchObject({
    data: { supported: ["csv", "json"] },
  });
  await expect(asked(none, { filters: [{ column: "n" }] }).result).rejects.toMatchObject({
    data: { issues: [{ pointer: "/params/0/filters/0", expected: "at least one comparison" }] },
  });
  const sortByOther = [{ column: "x", direction: "asc" } as const];
  await expect(asked(none, { sortBy: sortByOther }).result).rejects.toMatchObject({
    data: { column: "x", columns: ["n", "word"] },
  });
});

const position = { currentPageNumber: 1, currentPageSize: 2, totalRows: 5, totalPages: 3 };
const rows = Buffer.from("[[1]]");

it("passes the page on to the reader, and reads the rows of the next page in advance", async () => {
  const { result, page, open } = asked(async () => ({ position, rows }), {
    page: { number: 3, size: 10 },
    format: "json",
  });
  await result;
  const [tenant, task] = page.mock.calls[0] ?? [];
  expect(tenant).toBe("acme");
  expect(task).toMatchObject({
    rowCount: 5,
    columns,
    page: { number: 3, size: 10 },
    format: "json",
    rowIndex: false,
    maxBytes: 1_000,
    paths: ["file"],
    conditions: [],
    sortKeys: [],
  });
  expect(open.mock.calls[0]).toEqual([run, { first: 20, count: 20 }]);
});

it.each([{ filters }, { sortBy }])("reads all rows for a page with %j", async (params) => {
  const { result, open } = asked(async () => ({ position, rows }), params);
  await result;
  expect(open.mock.calls[0]).toEqual([run, undefined]);
});

/** Returns the value of a result that is already JSON text. */
async function contentOf(result: ReturnType<typeof getQueryRunResults>): Promise<unknown> {
  const answer = await result;
  const [{ text }] = Object.getOwnPropertySymbols(answer).map((symbol) => Reflect.get(answer, symbol)) as [
    { readonly text: unknown },
  ];
  const pieces = Array.isArray(text) ? text : [text];
  return JSON.parse(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString());
}

it("adds the row index to pages in the csv format only", async () => {
  const indexed = async (format: "csv" | "json") => {
    const { result, page } = asked(async () => ({ position, rows }), { format }, { csvRowIndex: true });
    const { columnNames } = (await contentOf(result)) as { readonly columnNames: readonly string[] };
    return [page.mock.calls[0]?.[1].rowIndex, columnNames];
  };
  expect(await indexed("csv")).toEqual([true, ["n", "word", "__row_index"]]);
  expect(await indexed("json")).toEqual([false, ["n", "word"]]);
});

it("answers with the columns, the statement, the run and the rows as the reader has written them", async () => {
  expect(await contentOf(asked(async () => ({ position, rows })).result)).toEqual({
    columnNames: ["n", "word"],
    columnTypes: ["number", "string"],
    sql: "select 1",
    format: "csv",
    columnEngineTypes: ["INTEGER", "VARCHAR"],
    page: position,
    rows: [[1]],
    redirectedToQueryRun: null,
    originalQueryRun: expect.objectContaining({ id: "run_a", state: "QUERY_STATE_SUCCESS", rowCount: 5 }),
  });
});

it("records the time of an answer, and the bytes and the format that were read", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const [pageAnswered, read] = [vi.fn(), vi.fn()];
  const answer = async () => {
    vi.advanceTimersByTime(1_500);
    return { position, rows };
  };
  const { result, service, context } = asked(answer, {}, { telemetry: { metrics: { pageAnswered }, read } });
  const bytes = preencodedBytes(await result);
  const { getQueryRunResults: handler } = createHandlers(service);
  await handler({ queryRunId: "run_a" }, context);
  await handler({ queryRunId: "run_a", format: "json" }, context);
  expect(pageAnswered.mock.calls).toEqual([[1.5], [1.5]]);
  expect(read.mock.calls).toEqual([
    [context, "run_a", bytes, "csv"],
    [context, "run_a", bytes + 1, "json"],
  ]);
});

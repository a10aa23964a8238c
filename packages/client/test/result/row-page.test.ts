import { describe, expect, it } from "vitest";
import {
  createClient,
  query,
  type RowPage,
  type RowSchema,
  readPage,
  resumeQuery,
  rowPageOf,
} from "../../src/index.ts";
import { startServer } from "../support/scripted-server.ts";
import { paramsOf, service, startService } from "../support/scripted-service.ts";

const rows = Array.from({ length: 25 }, (_, index) => [index]);

it("refuses a format without rows before it creates a run", async () => {
  await using server = await startService({ rows });
  const format = "arrow" as "csv"; // As a program without types may have it.
  const message = 'Invalid format: "arrow"; use csv, json or getQueryRunDownload';
  for (const read of [
    () => query(server.client, { sql: "a", format }),
    () => resumeQuery(server.client, "a", { format }),
    () => readPage(server.client, "a", { format }),
  ]) {
    await expect(read()).rejects.toThrow(message);
    await expect(read()).rejects.toBeInstanceOf(TypeError);
  }
  expect(paramsOf(server.exchanges, "createQueryRun")).toEqual([]);
  expect(paramsOf(server.exchanges, "getQueryRunResults")).toEqual([]);
});

describe("readPage", () => {
  it("reads from any row, and returns the start of the next page", async () => {
    await using server = await startService({ rows });
    const page = await readPage<{ n: number }>(server.client, "a", { offset: 7, pageSize: 10 });
    expect(page).toMatchObject({ queryRunId: "a", columnNames: ["n"], rowCount: 25, offset: 7 });
    expect(page.rows[0]).toEqual({ n: 7 });
    expect(page.nextOffset).toBe(7 + page.rows.length);
  });

  it("validates its rows by a schema, and reports the number of an invalid row in the result", async () => {
    await using server = await startService({ rows });
    const schema: RowSchema<number> = {
      "~standard": {
        validate: (row) => {
          const { n } = row as { n: number }; // The rows of this test.
          return n < 9 ? { value: n } : { issues: [{ message: "is too large", path: [{ key: "n" }] }] };
        },
      },
    };
    const page = (offset: number) => readPage(server.client, "a", { offset, pageSize: 2, schema });
    expect(await page(6)).toMatchObject({ rows: [6, 7] });
    await expect(page(8)).rejects.toMatchObject({
      kind: "protocol",
      queryRunId: "a",
      data: { row: 9 },
      message: "row 9: n: is too large",
    });
  });

  it("reaches every row, whatever page size the service refuses", async () => {
    for (const options of [{ rows }, { rows, strict: true }, { rows, maxPageSize: 4 }]) {
      await using server = await startService(options);
      const read: unknown[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page: RowPage<{ n: number }> = await readPage(server.client, "a", { offset, pageSize: 10 });
        read.push(...page.rows.map(({ n }) => n));
        offset = page.nextOffset;
      }
      expect(read).toEqual(rows.flat());
    }
  });

  it("has a next page if the service reports no row count", async () => {
    await using server = await startService({ rows, strict: true });
    const read: unknown[] = [];
    for (let offset: number | null = 5; offset !== null; ) {
      const page: RowPage<{ n: number }> = await readPage(server.client, "a", { offset, pageSize: 10 });
      read.push(...page.rows.map(({ n }) => n));
      offset = page.nextOffset;
    }
    expect(read).toEqual(rows.flat().slice(5));
  });

  it("reads all rows up to `end` and none after it, whatever page size the service refuses", async () => {
    for (const options of [{ rows }, { rows, maxPageSize: 4 }]) {
      await using server = await startService(options);
      const page = (offset: number, end: number) =>
        readPage<{ n: number }>(server.client, "a", { offset, end, pageSize: 10 });
      const middle = await page(3, 13);
      expect(middle.rows.map(({ n }) => n)).toEqual(rows.flat().slice(3, 13));
      expect(middle.nextOffset).toBe(13);
      expect(await page(15, 25)).toMatchObject({ nextOffset: null, rows: { length: 10 } });
      expect(await page(20, 30)).toMatchObject({ nextOffset: null, rows: { length: 5 } });
    }
  });

  it("fails if the service has fewer rows than it reported", async () => {
    const answers = service({ rows });
    await using server = await startServer((exchange) => {
      const { result } = answers(exchange).body as { result: { page: object } }; // Our own answer.
      return { body: { id: exchange.calls[0]?.id, result: { ...result, page: { ...result.page, totalRows: 99 } } } };
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(readPage(client, "a", { offset: 25, pageSize: 10 })).rejects.toMatchObject({ kind: "protocol" });
  });

  it("has its keys, types and rows from the start by default", async () => {
    await using server = await startService({ rows: [[1, 2]], columnNames: ["n", "n"] });
    expect(await readPage(server.client, "a")).toEqual({
      queryRunId: "a",
      columnNames: ["n", "n"],
      rowKeys: ["n", "n_2"],
      columnTypes: ["number", "number"],
      rowCount: 1,
      offset: 0,
      rows: [{ n: 1, n_2: 2 }],
      nextOffset: null,
    });
  });

  it.each([
    { offset: 0, end: 10, count: 10, nextOffset: 10, requests: 1 },
    { offset: 0, end: 9, count: 9, nextOffset: 9, requests: 1 },
    { offset: 0, end: 11, count: 11, nextOffset: 11, requests: 2 },
    { offset: 10, end: 20, count: 10, nextOffset: 20, requests: 1 },
    { offset: 20, end: 23, count: 3, nextOffset: 23, requests: 1 },
    { offset: 20, end: 25, count: 5, nextOffset: null, requests: 1 },
    { offset: 20, end: 99, count: 5, nextOffset: null, requests: 1 },
    { offset: 0, end: 24, count: 24, nextOffset: 24, requests: 3 },
    { offset: 10, end: 10, count: 0, nextOffset: 10, requests: 1 },
  ])("reads from $offset up to $end in $requests requests", async ({ offset, end, count, nextOffset, requests }) => {
    await using server = await startService({ rows });
    const page = await readPage<{ n: number }>(server.client, "a", { offset, end, pageSize: 10 });
    expect(page.rows.map(({ n }) => n)).toEqual(rows.flat().slice(offset, offset + count));
    expect(page).toMatchObject({ offset, nextOffset, rowCount: 25 });
    expect(paramsOf(server.exchanges, "getQueryRunResults")).toHaveLength(requests);
  });

  it("ends with its signal, also between two requests", async () => {
    const controller = new AbortController();
    const answers = service({ rows });
    await using server = await startServer((exchange) => {
      const answer = answers(exchange);
      if (server.exchanges.length === 2) controller.abort();
      return answer;
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    const options = { end: 25, pageSize: 10 };
    await expect(readPage(client, "a", { ...options, signal: controller.signal })).rejects.toMatchObject({
      kind: "aborted",
      queryRunId: "a",
    });
    expect(server.exchanges).toHaveLength(2);
    await expect(readPage(client, "a", { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "aborted" });
    expect(server.exchanges).toHaveLength(2);
  });

  it("is empty beyond the last row", async () => {
    await using server = await startService({ rows });
    await expect(readPage(server.client, "a", { offset: 99 })).resolves.toMatchObject({ rows: [], nextOffset: null });
  });
});

describe("rowPageOf", () => {
  it("has the rows of the first page, and sends no request", async () => {
    await using server = await startService({ rows, polls: 0 });
    const result = await query(server.client, { sql: "a", pageSize: 10 });
    const before = server.exchanges.length;
    const page = await rowPageOf<{ n: number }>(result);
    expect(page.rows.map(({ n }) => n)).toEqual(rows.flat().slice(0, 10));
    expect(page).toMatchObject({ queryRunId: "a", columnNames: ["n"], rowKeys: ["n"], columnTypes: ["number"] });
    expect(page).toMatchObject({ rowCount: 25, offset: 0, nextOffset: 10 });
    const schema: RowSchema<string> = { "~standard": { validate: (row) => ({ value: JSON.stringify(row) }) } };
    expect((await rowPageOf(result, { schema })).rows[9]).toBe('{"n":9}');
    expect(server.exchanges).toHaveLength(before);
  });
});

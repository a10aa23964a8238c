import { describe, expect, it, vi } from "vitest";
import { createClient, query, type RowSchema, rowsOf } from "../../src/index.ts";
import { finishedQuery, numbers } from "../support/finished-query.ts";
import { each, error, startServer } from "../support/scripted-server.ts";
import { service } from "../support/scripted-service.ts";

describe("rows", () => {
  it.each([0, 1, 9, 10, 11, 25, 100])("arrive completely and in order: %d rows in pages of ten", async (count) => {
    for (const strict of [false, true]) {
      await using query = await finishedQuery({ rows: numbers(count), strict }, { pageSize: 10 });
      const rows = await Array.fromAsync(rowsOf(query.result));
      expect(rows.map((row) => (row as { n: number }).n)).toEqual(numbers(count).flat());
    }
  });

  it.each([1, 0])("are read one a page where the page size is %i", async (pageSize) => {
    await using query = await finishedQuery({ rows: numbers(3) }, { pageSize });
    expect(await Array.fromAsync(rowsOf(query.result))).toHaveLength(3);
    expect(query.pages()).toMatchObject([{ size: 1 }, { size: 1 }, { size: 1 }]);
  });

  it("can be read again", async () => {
    await using query = await finishedQuery({ rows: numbers(25) }, { pageSize: 10 });
    expect(await Array.fromAsync(rowsOf(query.result))).toEqual(await Array.fromAsync(rowsOf(query.result)));
  });

  it("arrive in smaller pages if the service refuses the page size", async () => {
    await using query = await finishedQuery({ rows: numbers(100), maxPageSize: 30 }, { pageSize: 1000 });
    expect(await Array.fromAsync(rowsOf(query.result))).toHaveLength(100);
    expect(query.pages().map((page) => (page as { size: number }).size)).toEqual([1000, 30, 30, 30, 30]);
  });

  it("arrive in pages of half the size if the service suggests no smaller size", async () => {
    const answers = service({ polls: 0, rows: numbers(3) });
    const sizes: number[] = [];
    await using server = await startServer((exchange) => {
      const { size = 0 } = (exchange.calls[0]?.params[0].page ?? {}) as { size?: number }; // Our own request.
      if (size > 0) sizes.push(size);
      return size > 3
        ? each(() => error(-32170, "The requested page is too large", { maxPageSize: 10_000 }))(exchange)
        : answers(exchange);
    });
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a", pageSize: 12 });
    expect(await Array.fromAsync(rowsOf(result))).toHaveLength(3);
    expect(sizes).toEqual([12, 6, 3]);
  });

  it.each([
    [{ columnNames: ["n"] }, { kind: "protocol", queryRunId: "a" }],
    [
      { columnNames: null, rows: null },
      { columnNames: [], rowCount: null, first: { rows: [], isLast: true } },
    ],
    [
      { columnNames: null, rows: [] },
      { columnNames: [], rowCount: null, first: { rows: [], isLast: true } },
    ],
    [
      { columnNames: null, rows: [{ n: 1 }] },
      { kind: "protocol", queryRunId: "a" },
    ],
  ])("are empty if the service says so, and an error if they are missing: %j", async (page, outcome) => {
    const answers = service({ polls: 1, end: { rowCount: "3" } });
    await using server = await startServer((exchange) =>
      exchange.calls[0]?.method === "getQueryRunResults" ? each(() => ({ result: page }))(exchange) : answers(exchange),
    );
    const result = query(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    expect(await result.catch((reason) => reason)).toMatchObject(outcome);
  });

  it.each([true, false])("arrive completely if the service returns smaller pages, strict: %s", async (strict) => {
    const rows = numbers(1_200);
    await using query = await finishedQuery({ rows, strict, cutsAt: 500, polls: 1, end: { rowCount: 1_200 } });
    expect(await Array.fromAsync(rowsOf(query.result))).toHaveLength(1_200);
  });

  it.each([3, null])("have the count of the pages if they are filtered: %s", async (reported) => {
    const answers = service({ polls: 1, rows: numbers(3), end: { rowCount: 9 } });
    await using server = await startServer((exchange) => {
      const answer = answers(exchange);
      if (exchange.calls[0]?.method !== "getQueryRunResults") return answer;
      const body = answer.body as { result: object }; // Our own answer.
      return { body: { ...body, result: { ...body.result, page: { totalRows: reported } } } };
    });
    const filters = [{ column: "n", lt: 3 }];
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a", filters });
    expect(result.rowCount).toBe(reported);
    expect(await Array.fromAsync(rowsOf(result))).toHaveLength(3);
  });

  it("end with their signal, also if they are in memory", async () => {
    await using query = await finishedQuery({ rows: numbers(30) }, { pageSize: 10 });
    const controller = new AbortController();
    const read: unknown[] = [];
    const reading = async () => {
      for await (const row of rowsOf(query.result, { signal: controller.signal })) {
        if (read.push(row) === 5) controller.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ kind: "aborted", queryRunId: "a" });
    expect(read).toHaveLength(5);
    const timers = vi.spyOn(globalThis, "setTimeout");
    const cleared = vi.spyOn(globalThis, "clearTimeout");
    const none = query.result.pages({ signal: AbortSignal.abort(), timeoutMs: 60_000 });
    await expect(none.next()).rejects.toMatchObject({ kind: "aborted", queryRunId: "a" });
    expect(cleared.mock.calls.flat()).toEqual(timers.mock.results.map(({ value }) => value));
    vi.restoreAllMocks();
  });

  it("are not fetched after the loop has ended", async () => {
    await using query = await finishedQuery({ rows: numbers(1000) }, { pageSize: 10 });
    for await (const _row of rowsOf(query.result)) break;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(query.pages().length).toBeLessThanOrEqual(3);
  });

  it("fail if they end before the row count", async () => {
    const answers = service({ polls: 0, rows: numbers(25) });
    await using server = await startServer((exchange) => {
      const answer = answers(exchange);
      const page = (exchange.calls[0]?.params[0].page as { number: number } | undefined)?.number; // Our own request.
      const { result } = answer.body as { result: object };
      return page === 2 ? { body: { id: exchange.calls[0]?.id, result: { ...result, rows: [[10], [11]] } } } : answer;
    });
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a", pageSize: 10 });
    await expect(Array.fromAsync(rowsOf(result))).rejects.toMatchObject({ kind: "protocol", queryRunId: "a" });
  });

  it("keep repeated names and a column named __proto__", async () => {
    await using query = await finishedQuery({ columnNames: ["a", "a", "a_2", "__proto__"], rows: [[1, 2, 3, 4]] });
    const [row] = await Array.fromAsync(rowsOf(query.result));
    expect(Object.entries(row ?? {})).toEqual([
      ["a", 1],
      ["a_3", 2],
      ["a_2", 3],
      ["__proto__", 4],
    ]);
  });

  it("are validated and typed by a schema", async () => {
    const schema: RowSchema<{ double: number }> = {
      "~standard": {
        validate: (row) => {
          const { n } = row as { n: number }; // The rows of this test.
          return n < 3 ? { value: { double: n * 2 } } : { issues: [{ message: "is too large", path: ["n"] }] };
        },
      },
    };
    await using query = await finishedQuery({});
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const row of rowsOf(query.result, { schema })) read.push(row);
    })();
    await expect(reading).rejects.toMatchObject({
      kind: "protocol",
      queryRunId: "a",
      data: { row: 2 },
      message: "row 2: n: is too large",
    });
    expect(read).toEqual([{ double: 2 }, { double: 4 }]);
  });
});

describe("pages", () => {
  it("end without an error if the iterator is closed during a fetch", async () => {
    await using query = await finishedQuery({ rows: numbers(30) }, { pageSize: 10 });
    for (const given of [0, 1]) {
      const pages = query.result.pages();
      for (let number = 0; number < given; number += 1) await pages.next();
      const underWay = pages.next();
      expect(await pages.return?.()).toMatchObject({ done: true });
      expect(await underWay).toMatchObject({ done: true });
      expect(await pages.next()).toMatchObject({ done: true });
    }
  });

  it("arrive in order for concurrent calls of next(), and report their error once", async () => {
    const answers = service({ polls: 0, rows: numbers(30) });
    await using server = await startServer((exchange) => {
      const { number } = (exchange.calls[0]?.params[0].page ?? {}) as { number?: number }; // Our own request.
      return number === 3 ? each(() => error(-32152, "broken"))(exchange) : answers(exchange);
    });
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a", pageSize: 10 });
    const pages = result.pages();
    const steps = await Promise.allSettled(Array.from({ length: 5 }, () => pages.next()));
    expect(steps).toMatchObject([
      { value: { value: { offset: 0 } } },
      { value: { value: { offset: 10 } } },
      { reason: { code: -32152, queryRunId: "a" } },
      { value: { done: true } },
      { value: { done: true } },
    ]);
  });

  it("are complete if they end after the deadline without another step", async () => {
    await using query = await finishedQuery({ rows: numbers(3) });
    const controller = new AbortController();
    const pages = query.result.pages({ signal: controller.signal });
    await pages.next();
    controller.abort();
    expect(await pages.next()).toMatchObject({ done: true });
  });

  it("of a result have its run, names, types and count", async () => {
    const end = { rowCount: 2 };
    await using query = await finishedQuery({ rows: [[1, 2]], columnNames: ["a", "b"], end }, { pageSize: 10 });
    const { first, ...result } = query.result;
    expect(result).toMatchObject({
      queryRunId: "a",
      queryRun: { id: "a", state: "QUERY_STATE_SUCCESS" },
      columnNames: ["a", "b"],
      columnTypes: ["number", "number"],
      rowCount: first.rowCount,
    });
    expect(first).toMatchObject({ rows: [[1, 2]], offset: 0, isLast: true });
  });

  it("are each requested before the one before is returned, and the first only with the result", async () => {
    const answers = service({ polls: 0, rows: numbers(30) });
    await using server = await startServer(answers);
    const sent: string[] = [];
    const client = createClient({
      url: server.url,
      apiKey: "k",
      interceptors: [
        (request, next) => {
          sent.push(...request.methods);
          return next(request);
        },
      ],
    });
    const result = await query(client, { sql: "a", pageSize: 10 });
    const count = () => sent.filter((method) => method === "getQueryRunResults").length;
    expect(count()).toBe(1);
    const pages = result.pages();
    expect(count()).toBe(1);
    const counts: number[] = [];
    for await (const page of pages) counts.push(page.offset, count());
    expect(counts).toEqual([0, 2, 10, 3, 20, 3]);
  });

  it("have no unhandled error if a prefetch fails after the last one that is read", async () => {
    const answers = service({ polls: 0, rows: numbers(30) });
    await using server = await startServer((exchange) => {
      const { number } = (exchange.calls[0]?.params[0].page ?? {}) as { number?: number }; // Our own request.
      return number === 2 ? each(() => error(-32152, "broken"))(exchange) : answers(exchange);
    });
    const result = await query(createClient({ url: server.url, apiKey: "k" }), { sql: "a", pageSize: 10 });
    const pages = result.pages();
    expect(await pages.next()).toMatchObject({ value: { offset: 0 } });
    await expect.poll(() => server.exchanges.at(-1)?.answered).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(pages.next()).rejects.toMatchObject({ code: -32152 });
    expect(await pages.next()).toMatchObject({ done: true });
  });
});

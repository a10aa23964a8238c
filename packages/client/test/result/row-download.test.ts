import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, query, resumeQuery, rowsOf, startQuery } from "../../src/index.ts";
import type { DetectingClient } from "../../src/wire/client.ts";
import { cutAfter, type Forward, startQueryService } from "../support/query-service.ts";
import { patience } from "../support/scripted-server.ts";

let service: Awaited<ReturnType<typeof startQueryService>>;
/** Run with the numbers from 0 to 119,999. */
let run: string;
const count = 120_000;
beforeAll(async () => {
  service = await startQueryService();
  run = await runOf(`select range as n, 'é' || range as text from range(${count})`);
});
afterAll(() => service[Symbol.asyncDispose]());

async function runOf(sql: string): Promise<string> {
  const { client } = service.connect();
  return (await query(client, { sql, pageSize: 1 })).queryRunId;
}

const page = "getQueryRunResults";
const link = "getQueryRunDownload";
const numbers = Array.from({ length: count }, (_, n) => n);

/** Reads the numbers of the run, and the calls for it. */
async function read(download?: Forward, options: Parameters<typeof service.connect>[1] = {}) {
  const { client, methods } = service.connect(download, options);
  const readNumbers = () => resumeQuery(client, run).then((result) => Array.fromAsync(rowsOf(result), ({ n }) => n));
  return { client, methods, readNumbers, numbers: await readNumbers() };
}

/** A column of each type, with values that need care. */
const columns = [
  "range as k, 9007199254740993 + range as id",
  `-range::hugeint * 141183460469231731687303715884105 as "toString"`,
  `range as "__proto__", range as "Upper", range as "7", 'a' as "a""b", (range % 256)::utinyint as "constructor"`,
  "((range - 3) * 0.1)::decimal(38,20) as wide, range::decimal(18,3) / 7 as d, (range / 10000)::decimal(9,9) as small",
  "case range when 0 then -0.0 when 1 then 'nan' when 2 then 'inf' when 3 then '-inf' else range / 3 end::double as f",
  "case range when 0 then -0.0 when 1 then 'nan' else range / 3 end::float as g, range % 2 = 0 as flag",
  "timestamp '0044-03-15 (BC) 01:02:03' + to_microseconds(range) as ts, timestamp_ns '2026-01-01' as ns, '2026-01-01'::timestamptz as tz",
  "case range when 0 then 'infinity' else '2026-01-01' end::date as day, time '12:34:56.789' as clock, interval '1 day 2 hours' as span",
  "[range, 9007199254740993] as list, {'k': date '2026-01-01', 'x': [{'y': 'nan'::double}]} as struct, map {range: 'v'} as map",
  `'\\xFF\\x00'::blob as bytes, uuid '6f7e657f-077d-45db-a369-b7889c3ffc9b' as uuid`,
  `'e' || chr((range % 1000)::integer + 1) || '"\\é😀' as text, '101'::bit as bit, null as nothing, 'x'::enum('x') as word`,
];
/** The engine writes pages and downloads of such a column in JavaScript. */
const json = `'{"n": 12345678901234567890, "-0": -0.0}'::json as json`;
const few = ["range as k, -range as n, true as flag, date '2026-01-01' as day", json];
/** Returns rows with all values, among rows whose columns are null. */
const typedSql = (columns: readonly string[]) => `with t as (select ${columns.join(", ")} from range(1200))
  select t.* exclude (k), t.day as "UPPER" from range(101_000) as n(i) left join t on k = i % 100_000 order by i`;

describe("the rows of a large result", () => {
  it.each([
    ["node:http, as the engine writes them", undefined, "csv", columns],
    ["fetch, as JavaScript writes them", globalThis.fetch, "json", few],
  ] as const)(
    "have the values of pages when they are downloaded by %s",
    async (_name, fetch, format, columns) => {
      const typed = await runOf(typedSql(columns));
      const { client, methods } = service.connect(undefined, fetch && { fetch });
      const result = await resumeQuery(client, typed, { format });
      const rows = await Array.fromAsync(rowsOf(result));
      expect(methods).toEqual(["getQueryRun", page, link]);
      const paged = createClient({ url: client.url, apiKey: "a key of the tests" });
      (paged as DetectingClient).server.downloads = false;
      let index = 0;
      for await (const row of rowsOf(await resumeQuery(paged, typed, { format }))) {
        // Most rows have nulls alone, and `toStrictEqual` is slow.
        if (index % 1000 === 0 || row.flag !== null) expect(rows[index]).toStrictEqual(row);
        index += 1;
      }
      expect(rows).toHaveLength(index);
      expect(index).toBe(101_000);
    },
    120_000,
  ); // reads 101,000 rows twice

  it.each([
    ["its connection is closed", 500_000, (response: { destroy(): unknown }) => response.destroy()],
    ["it ends in a row", 500_001, (response: { end(): unknown }) => response.end()],
    ["it has no rows", 0, (response: { end(): unknown }) => response.end()],
  ])("are read from pages on when their download is cut: %s", async (_name, bytes, end) => {
    const cut: Forward = bytes === 0 ? (_, response) => end(response.writeHead(200, ndjson)) : cutAfter(bytes, end);
    const { client, methods, numbers: seen } = await read(cut);
    expect(seen).toEqual(numbers);
    expect(methods.slice(0, 4)).toEqual(["getQueryRun", page, link, page]);
    expect((client as DetectingClient).server.downloads).toBeUndefined();
  });

  it("are read from pages when nothing of their download arrives for timeoutMs", async () => {
    const { numbers: seen, methods } = await read(
      cutAfter(500_000, () => {}),
      { timeoutMs: 5_000 },
    );
    expect(seen).toEqual(numbers);
    expect(methods.filter((method) => method === page).length).toBeGreaterThan(1);
  });

  it.each([
    ["HTTP 403", 1, (_: unknown, response) => response.writeHead(403).end()],
    ["a page of a proxy", 1, (_: unknown, response) => response.writeHead(200, { "content-type": "text/html" }).end()],
    ["HTTP 503", 2, (_: unknown, response) => response.writeHead(503, { "retry-after": "5" }).end()],
    ["lines that are no JSON", 2, (_: unknown, response) => response.writeHead(200, ndjson).end("<html>\n")],
  ] satisfies [string, number, Forward][])(
    "are read from pages when their link returns %s",
    async (_name, tries, answer) => {
      const { methods, readNumbers, numbers: seen } = await read(answer);
      expect(seen).toEqual(numbers);
      expect(await readNumbers()).toEqual(numbers);
      expect(methods.filter((method) => method === link)).toHaveLength(tries);
    },
  );

  it("are read from the pages of a service without downloads, which is asked for one only once", async () => {
    const {
      methods,
      readNumbers,
      numbers: seen,
    } = await read(undefined, {
      interceptors: [
        async (request, next) => {
          if (!request.methods.includes(link)) return next(request);
          const error = { code: -32601, message: "Method not found" };
          return { status: 200, text: JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(request.body).id, error }) };
        },
      ],
    });
    expect(seen).toEqual(numbers);
    expect(await readNumbers()).toEqual(numbers);
    expect(methods.filter((method) => method === link)).toHaveLength(1);
  });

  it("end their download at a break and at an abort, which throws with the id of the run", async () => {
    let closed = 0;
    const { client } = service.connect((upstream, response) => {
      response.on("close", () => {
        closed += 1;
      });
      cutAfter(500_000, () => {})(upstream, response);
    });
    for await (const { n } of rowsOf(await resumeQuery(client, run))) if (n === 12_000) break;
    await expect.poll(() => closed, patience).toBe(1);
    const controller = new AbortController();
    const rows = rowsOf(await resumeQuery(client, run), { signal: controller.signal });
    const reading = Array.fromAsync(rows, ({ n }) => n === 12_000 && controller.abort());
    await expect(reading).rejects.toMatchObject({ kind: "aborted", queryRunId: run });
    await expect.poll(() => closed, patience).toBe(2);
  });

  it("are pages with filters or an order, and of a small result", async () => {
    const { client, methods } = service.connect();
    const sql = `select range as n from range(${count})`;
    await using started = await startQuery(client, { sql, sortBy: [{ column: "n", direction: "desc" }] });
    const { value } = await rowsOf(await started.result()).next();
    expect(value).toEqual({ n: count - 1 });
    for (const options of [{ filters: [{ column: "n", gte: 1 }] }, {}]) {
      const result = await resumeQuery(client, options.filters ? run : await runOf("from range(99_999)"), options);
      expect((await Array.fromAsync(rowsOf(result))).length).toBe(options.filters ? count - 1 : 99_999);
    }
    expect(methods).not.toContain(link);
  });
});

const ndjson = { "content-type": "application/x-ndjson" };

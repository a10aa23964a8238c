import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { arrowOf } from "../src/arrow.ts";
import { query, rowKeysOf, rowsOf } from "../src/index.ts";
import { cutAfter, startQueryService } from "./support/query-service.ts";

let service: Awaited<ReturnType<typeof startQueryService>>;
beforeAll(async () => {
  service = await startQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => {
  vi.doUnmock("@uwdata/flechette");
});

const sql = `select range as id, range * 0.25 as price, 'é' || range as text, range % 2 = 0 as flag, null::int as "none",
  timestamp '2026-01-01' + to_seconds(range) as at, [range, 1] as list, 1 as "toString", 2 as A, 3 as a
  from range(50000)`;

describe("arrowOf", () => {
  it.each([
    ["node:http", {}],
    ["fetch", { fetch: globalThis.fetch }],
  ])("returns the columns of the whole result, downloaded by %s", async (_name, options) => {
    const { client } = service.connect(undefined, options);
    const result = await query(client, { sql });
    const table = await arrowOf(result, { useDate: true });
    expect([table.numRows, table.names]).toEqual([50_000, rowKeysOf(result)]);
    const rows = table.toArray();
    let index = 0;
    for await (const row of rowsOf(result)) {
      if (index % 1000 === 0) {
        const { at, none, ...cells } = rows[index] ?? {};
        expect({ ...cells, at: at.toISOString(), none: none ?? null, list: [...cells.list] }).toEqual(row);
      }
      index += 1;
    }
  });

  it("passes the options of the library, such as bigints", async () => {
    const { client } = service.connect();
    const result = await query(client, { sql: "select 9007199254740993 as n" });
    expect([...((await arrowOf(result, { useBigInt: true })).getChild("n") ?? [])]).toEqual([9007199254740993n]);
  });

  it("of no rows has the columns", async () => {
    const { client } = service.connect();
    const table = await arrowOf(await query(client, { sql: "select 1 as n where false" }));
    expect([table.numRows, table.names]).toEqual([0, ["n"]]);
  });

  it("names the package to install if it is missing, and requests nothing", async () => {
    vi.doMock("@uwdata/flechette", () => {
      throw new Error("Cannot find package");
    });
    const { client, methods } = service.connect();
    const result = await query(client, { sql });
    const before = methods.length;
    await expect(arrowOf(result)).rejects.toThrow(/@uwdata\/flechette; run npm install @uwdata\/flechette$/);
    expect(methods).toHaveLength(before);
  });

  it("throws the error of a service that does not offer the format", async () => {
    const error = { code: -32153, message: "no arrow", data: { supported: ["csv"] } };
    const { client } = service.connect(undefined, {
      interceptors: [
        async (request, next) =>
          request.methods.includes("getQueryRunDownload")
            ? { status: 200, text: JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(request.body).id, error }) }
            : next(request),
      ],
    });
    const { code, message, data } = error;
    await expect(arrowOf(await query(client, { sql }))).rejects.toMatchObject({
      kind: "rpc",
      code,
      data,
      message: `getQueryRunDownload: ${message} (ResultFormatNotSupported ${code})`,
    });
  });

  it("throws the status of a link that has expired", async () => {
    const { client } = service.connect((_, response) => response.writeHead(403, { "content-type": "x/y" }).end());
    const result = await query(client, { sql });
    await expect(arrowOf(result)).rejects.toMatchObject({
      kind: "http",
      status: 403,
      queryRunId: result.queryRunId,
      message: "getQueryRunDownload: download failed: HTTP 403 with x/y",
    });
  });

  it("waits while the service has too many downloads", async () => {
    let busy = 2;
    const pauses: number[] = [];
    const { client } = service.connect(
      (upstream, response) => {
        busy -= 1;
        response.writeHead(busy < 0 ? 200 : 503, busy < 0 ? upstream.headers : {});
        if (busy < 0) upstream.pipe(response);
        else response.end();
      },
      { sleep: async (ms) => void pauses.push(ms) },
    );
    expect((await arrowOf(await query(client, { sql }))).numRows).toBe(50_000);
    expect(pauses).toEqual([5_000, 5_000]);
  });

  it.each([
    ["closes its connection", (response: { destroy(): unknown }) => response.destroy()],
    ["ends early", (response: { end(): unknown }) => response.end()],
  ])("throws if the download %s", async (_name, end) => {
    for (const bytes of [10, 1_000, 500_000, 500_001]) {
      const { client } = service.connect(cutAfter(bytes, end));
      const result = await query(client, { sql });
      await expect(arrowOf(result), String(bytes)).rejects.toMatchObject({
        kind: "network",
        queryRunId: result.queryRunId,
        message: expect.stringContaining("download interrupted: "),
      });
    }
  });

  it("ends at its deadline and at an abort", async () => {
    const { client } = service.connect(cutAfter(500_000, () => {}));
    const result = await query(client, { sql });
    await expect(arrowOf(result, { timeoutMs: 500 })).rejects.toMatchObject({ kind: "timeout" });
    const signal = AbortSignal.abort();
    await expect(arrowOf(result, { signal })).rejects.toMatchObject({ kind: "aborted" });
  });

  it("refuses a result with filters, which the download would lack", async () => {
    const { client } = service.connect();
    const result = await query(client, { sql, filters: [{ column: "id", eq: 1 }] });
    await expect(arrowOf(result)).rejects.toThrow("Invalid result: it has filters or sortBy");
  });
});

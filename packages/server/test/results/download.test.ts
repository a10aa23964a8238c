import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GetQueryRunDownloadResult } from "@quern/protocol/types";
import { revokeLinks } from "@quern/server/administration";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { readDatabases } from "../../../duckdb/test/sources/data.ts";
import { createTestClock, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";

const engine = oneProcessOfFile();

const clock = createTestClock();
const silent = { error: () => {} };
let runs: Readonly<Record<"plain" | "nested" | "none", string>>;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    clock,
    sources: [{ name: "test", provider: "quern", oldNames: false }],
    log: silent,
    kind: engine(),
  });
  const [plain, nested, none] = await Promise.all([plainSql, nestedSql, noneSql].map((sql) => server.run(sql)));
  runs = { plain: plain?.id ?? "", nested: nested?.id ?? "", none: none?.id ?? "" };
});
afterAll(() => server[Symbol.asyncDispose]());

const link = (queryRunId: string, format: string, from = server) =>
  from.call<GetQueryRunDownloadResult>("getQueryRunDownload", { queryRunId, format });

async function download(run: keyof typeof runs, format: string): Promise<Buffer> {
  const { url } = await link(runs[run], format);
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Values that the engine writes by itself, and values that it does not. */
const plainSql = `select * from (values
  (1::bigint, 'a,"b"', timestamp '2026-11-20 09:30:00', date '2026-11-20', 1.50::decimal(5,2), 0.1::float, true, 'x'::blob),
  (9007199254740993, '', timestamp '2026-11-20 09:30:00.1205', date '0044-03-15 (BC)', -0.25, 'nan', false, null),
  (null, null, timestamp '0044-03-15 (BC) 01:02:03', 'infinity'::date, null, '-infinity', null, null),
  (-5, E'two\\nlines', 'infinity'::timestamp, date '12026-01-02', 7, 3, true, '\\xFF'::blob)
) t(n, text, moment, day, price, ratio, flag, bytes)`;
const noneSql = "select 1 as n, [1] as list where false";
const nestedSql = `select 1 as "A", [1, 9007199254740993] as list, {'k': date '2026-11-20'} as "Struct", '{"n":12345678901234567890}'::json as j,
  12345678901234567.89::decimal(19,2) as d, null::int[] as none, 170141183460469231731687303715884105727 as h,
  timestamp_ns '2026-11-20 09:30:00.123456789' as ns, '' as empty, 2 as a`;

describe("a download", () => {
  it("as CSV has a line for each row, with the values of pages", async () => {
    expect(String(await download("plain", "csv"))).toBe(
      [
        "n,text,moment,day,price,ratio,flag,bytes",
        '1,"a,""b""",2026-11-20T09:30:00.000Z,2026-11-20,1.50,0.1,true,eA==',
        '9007199254740993,"",2026-11-20T09:30:00.1205Z,-000043-03-15,-0.25,NaN,false,',
        ",,-000043-03-15T01:02:03.000Z,infinity,,-Infinity,,",
        '-5,"two\nlines",infinity,+012026-01-02,7.00,3.0,true,/w==',
        "",
      ].join("\n"),
    );
    expect(String(await download("nested", "csv"))).toBe(
      [
        "A,list,Struct,j,d,none,h,ns,empty,a",
        '1,"[1,""9007199254740993""]","{""k"":""2026-11-20""}","{""n"":""12345678901234567890""}",12345678901234567.89,,170141183460469231731687303715884105727,2026-11-20T09:30:00.123456789Z,"",2',
        "",
      ].join("\n"),
    );
  });

  it.each(["plain", "nested"] as const)("as NDJSON has the rows of pages in format json: %s", async (run) => {
    const page = await server.results({ queryRunId: runs[run], format: "json" });
    const lines = String(await download(run, "ndjson"))
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(page.rows);
  });

  it("as Parquet has unique column names, and the types of the columns", async () => {
    const bytes = await download("nested", "parquet");
    const path = join(server.dataDir, "downloaded.parquet");
    await writeFile(path, bytes);
    const described = await readDatabases([], `SELECT column_name, column_type FROM (DESCRIBE FROM '${path}')`);
    expect(described.slice(0, 3)).toEqual([
      ["A", "INTEGER"],
      ["list", "BIGINT[]"],
      ["Struct", "STRUCT(k DATE)"],
    ]);
    expect(described.at(-1)).toEqual(["a_2", "INTEGER"]);
    expect(await readDatabases([], `SELECT d::VARCHAR, j.n::VARCHAR FROM '${path}'`)).toEqual([
      ["12345678901234567.89", "12345678901234567890"],
    ]);
  });

  it("as Arrow has the types that Arrow knows, and text for others", async () => {
    const bytes = await download("plain", "arrow");
    // Continuation marker of a message, which old streams lack.
    expect(bytes.subarray(0, 4).toString("hex")).toBe("ffffffff");
    const table = tableFromIPC(bytes);
    expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "n Int64",
      "text Utf8",
      "moment Timestamp<MICROSECOND>",
      "day Date32<DAY>",
      "price Decimal[12e+2]",
      "ratio Float32",
      "flag Bool",
      "bytes Binary",
    ]);
    expect(table.numRows).toBe(4);
    expect([...(table.getChild("n") ?? [])]).toEqual([1n, 9007199254740993n, null, -5n]);
    expect([...(table.getChild("text") ?? [])]).toEqual(['a,"b"', "", null, "two\nlines"]);
    expect([...(table.getChild("flag") ?? [])]).toEqual([true, false, null, true]);
    expect(table.getChild("bytes")?.get(0)).toEqual(new Uint8Array([120]));
    expect(Array.from(table.getChild("price")?.get(1) ?? [])).toEqual([
      4_294_967_271, 4_294_967_295, 4_294_967_295, 4_294_967_295,
    ]);
    const others = tableFromIPC(await download("nested", "arrow"));
    expect([...(others.getChild("list")?.get(0) ?? [])]).toEqual([1n, 9007199254740993n]);
    expect(others.getChild("h")?.get(0)).toBe("170141183460469231731687303715884105727");
    expect(others.schema.fields.at(-1)?.name).toBe("a_2");
  });

  it.each(["csv", "ndjson", "parquet", "arrow"])("of no rows is a whole file: %s", async (format) => {
    const bytes = await download("none", format);
    if (format === "csv") expect(String(bytes)).toBe("n,list\n");
    if (format === "ndjson") expect(String(bytes)).toBe("");
    if (format === "parquet") expect(bytes.subarray(-4).toString()).toBe("PAR1");
    if (format === "arrow") expect(tableFromIPC(bytes)).toMatchObject({ numRows: 0, numCols: 2 });
  });
});

describe("a link", () => {
  it("needs no key, names the file, and may be used by pages of any origin", async () => {
    const { url, expiresAt, contentType } = await link(runs.none, "csv");
    expect(url).toMatch(new RegExp(`^${server.url}/results/[\\w-]+\\.[\\w-]+$`));
    expect(Date.parse(expiresAt) - clock.now()).toBe(15 * 60_000);
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await fetch(url, { method });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe(contentType);
      expect(headers.get("content-disposition")).toBe(`attachment; filename="${runs.none}.csv"`);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("cache-control")).toBe("private, no-store");
      expect(headers.get("accept-ranges")).toBe("none");
    }
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
  });

  it("is of the address that the operator gives, or that a proxy names", async () => {
    await using behind = await startServer({ publicUrl: "https://data.example.org/quern/" });
    const { id } = await behind.run("select 1");
    expect((await link(id, "csv", behind)).url).toMatch(/^https:\/\/data\.example\.org\/quern\/results\/[\w-]+\./);
  });

  it("is refused when it is not signed by this service, or its time is over", async () => {
    const { url } = await link(runs.none, "csv");
    const forged = url.replace(
      /results\/[^.]+/,
      `results/${Buffer.from('["run_other","csv",9e15]').toString("base64url")}`,
    );
    for (const bad of [forged, `${url}x`, `${server.url}/results/`, `${server.url}/results/a.b.c`]) {
      const response = await fetch(bad);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { code: -32_163 } });
    }
    clock.advance(15 * 60_000);
    expect((await fetch(url)).status).toBe(403);
  });

  it("serves one download if links are for single use, also after a restart", async () => {
    const dataDir = await temporaryDirectory();
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const options = { dataDir, singleUseLinks: true, clock, log: silent };
    const serve = async () => startServer({ ...options, kind: engine() });
    let single = await serve();
    const { id } = await single.run("select 1 as n");
    const { url } = await link(id, "csv", single);
    const { url: unused } = await link(id, "csv", single);
    const answer = async (address: string, init: RequestInit = {}) => {
      const response = await fetch(address, init);
      return [response.status, await response.text()];
    };
    const used = JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32163, message: "Used link; request a new one" },
    });
    for (const method of ["HEAD", "OPTIONS", "HEAD"])
      expect(await answer(url, { method })).toEqual([method === "HEAD" ? 200 : 204, ""]);
    // A request of a range gets the whole result, so it is the one download.
    const parts = await Promise.all([0, 1, 2].map((at) => answer(url, { headers: { range: `bytes=${at}-${at}` } })));
    expect(parts.toSorted()).toEqual([
      [200, "n\n1\n"],
      [410, used],
      [410, used],
    ]);
    expect(await answer(url)).toEqual([410, used]);
    expect(await answer(url, { method: "HEAD" })).toEqual([410, ""]);
    await single.stop();
    single = await serve();
    const again = (old: string) => old.replace(/^http:\/\/[^/]+/, single.url);
    expect(await answer(again(url))).toEqual([410, used]);
    expect(await answer(again(unused))).toEqual([200, "n\n1\n"]);
    const audit = await readFile(join(dataDir, "audit.jsonl"), "utf8");
    expect(audit.match(/"action":"access.refused",.*"link":true/g)).toHaveLength(5);
    await single.stop();
  });

  it("ends at once when all links are revoked, and new ones are good", async () => {
    const { url } = await link(runs.none, "csv");
    const statusOf = async (one: string) => (await fetch(one)).status;
    expect(await statusOf(url)).toBe(200);
    await revokeLinks(server.dataDir);
    expect(await statusOf(url)).toBe(403);
    expect(await statusOf((await link(runs.none, "csv")).url)).toBe(200);
    const audit = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
    expect(audit.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ action: "links.revoke", address: "local" }),
    );
  });

  it("is not created without a result, for an unknown format, or for another tenant", async () => {
    await expect(link(runs.none, "xlsx")).rejects.toMatchObject({
      code: -32_153,
      data: { supported: ["csv", "ndjson", "parquet", "arrow"] },
    });
    await expect(link("run_unknown", "csv")).rejects.toMatchObject({ code: -32_099 });
    const failed = await server.run("select missing");
    await expect(link(failed.id, "csv")).rejects.toMatchObject({ code: -32_151 });
  });

  it("ends with its result", async () => {
    await using own = await startServer({ clock, log: silent, limits: { maxSmallResultBytes: 0 } });
    const { id } = await own.run("select 1", { resultTTLHours: 1 });
    clock.advance(55 * 60_000);
    const { url, expiresAt } = await link(id, "csv", own);
    expect(Date.parse(expiresAt) - clock.now()).toBe(5 * 60_000);
    const [file = ""] = await readdir(join(own.dataDir, "results"));
    await writeFile(join(own.dataDir, "results", file), "no longer Parquet");
    expect((await fetch(url)).status).toBe(500);
    clock.advance(5 * 60_000);
    await own.reap();
    await expect(link(id, "csv", own)).rejects.toMatchObject({ code: -32_172 });
  });
});

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { readDatabases } from "../../../duckdb/test/sources/data.ts";
import { startServer, type TestServer } from "../fixture.ts";

const engine = oneProcessOfFile();

type View = Pick<GetQueryRunDownloadParams, "filters" | "sortBy">;

/** Rows with ids, so that a file shows which rows it has in which order. */
const sql = `select range as id, 'row ' || (range * 7919 % 100) as word, case when range % 5 > 0 then range % 13 end as "Small",
  date '2026-01-01' + (range * 31 % 400)::int as day, (range % 9 / 7.0)::double as ratio, 1e17::decimal(20,2) + range as wide,
  range % 3 = 0 as flag, encode('bytes ' || range) as bytes from range(97) limit 97`;

const views: readonly View[] = [
  { sortBy: [{ column: "small", direction: "desc" }] },
  {
    filters: [{ column: "Small", gte: 3, lt: 11 }],
    sortBy: [
      { column: "word", direction: "asc" },
      { column: "day", direction: "desc" },
    ],
  },
  { filters: [{ column: "word", like: "row _%1" }] },
  { filters: [{ column: "word", ilike: "ROW _%1" }] },
  { filters: [{ column: "small", eq: null }], sortBy: [{ column: "ratio", direction: "asc" }] },
  {
    filters: [
      { column: "word", in: ["row 1", "row 19", "row 77", "O'Neil; drop"] },
      { column: "flag", eq: false },
    ],
  },
  { filters: [{ column: "wide", gt: "100000000000000050.00" }], sortBy: [{ column: "id", direction: "desc" }] },
  {
    filters: [
      {
        or: [
          { column: "word", ilike: "ROW 1%", notIn: ["row 1"] },
          { column: "ratio", gte: 1 },
          { column: "small", eq: null },
        ],
      },
      { column: "flag", eq: true },
    ],
    sortBy: [{ column: "day", direction: "asc" }],
  },
  { filters: [{ column: "day", lt: "2000-01-01" }], sortBy: [{ column: "day", direction: "asc" }] },
];

describe.each([
  ["in a file", { maxSmallResultBytes: 0 }],
  ["in the store", { maxSmallResultBytes: 1_000_000 }],
])("a download of a view of a result %s", (_, limits) => {
  let server: TestServer;
  let queryRunId: string;
  beforeAll(async () => {
    server = await startServer({ kind: engine(), limits });
    queryRunId = (await server.run(sql)).id;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function download(format: string, view: View = {}): Promise<Buffer> {
    const params = { queryRunId, format, ...view };
    const { url } = await server.call<GetQueryRunDownloadResult>("getQueryRunDownload", params);
    expect(url.length).toBeLessThan(600);
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }

  it("has its result there", async () => {
    expect(await readdir(join(server.dataDir, "results"))).toHaveLength(limits.maxSmallResultBytes === 0 ? 1 : 0);
  });

  it.each(views)("has the rows of its pages in their order: %j", async (view) => {
    const page = { number: 1, size: 5_000 };
    const { rows } = await server.results({ queryRunId, format: "json", page, ...view });
    const ids = (rows ?? []).map((row) => Number((row as { id: number }).id));
    const lines = (bytes: Buffer) => String(bytes).trimEnd().split("\n");
    const ndjson = String(await download("ndjson", view));
    expect(
      ndjson === ""
        ? []
        : ndjson
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    const [header, ...all] = lines(await download("csv"));
    expect(lines(await download("csv", view))).toEqual([header, ...ids.map((id) => all[id])]);
    const table = tableFromIPC(await download("arrow", view));
    expect([...(table.getChild("id") ?? [])].map(Number)).toEqual(ids);
    const path = join(server.dataDir, "view.parquet");
    await writeFile(path, await download("parquet", view));
    expect((await readDatabases([], `SELECT id FROM '${path}'`)).map(([id]) => Number(id))).toEqual(ids);
  });
});

describe("a link to a view", () => {
  const few = { filters: [{ column: "n", gte: 2 }], sortBy: [{ column: "n", direction: "desc" }] } as const;

  it("works for any number of values, on its own and once, and not after its view is forgotten", async () => {
    await using server = await startServer({ kind: engine(), singleUseLinks: true });
    const { id: queryRunId } = await server.run("select range as n from range(4)");
    const linkTo = async (view: object) => {
      const params = { queryRunId, format: "csv", ...view };
      return (await server.call<GetQueryRunDownloadResult>("getQueryRunDownload", params)).url;
    };
    const many = await linkTo({ filters: [{ column: "n", in: Array.from({ length: 10_000 }, (_, n) => 2 * n) }] });
    const url = await linkTo(few);
    expect(await (await fetch(many)).text()).toBe("n\n0\n2\n");
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    expect(await (await fetch(url)).text()).toBe("n\n3\n2\n");
    expect((await fetch(url)).status).toBe(410);
    const forgotten = await linkTo(few);
    const database = new DatabaseSync(join(server.dataDir, "quern.db"));
    database.exec("DELETE FROM link_views");
    database.close();
    expect((await fetch(forgotten)).status).toBe(403);
  });

  it("is refused with the errors of a page", async () => {
    await using server = await startServer({ kind: engine() });
    const { id: queryRunId } = await server.run("select 1 as n, 'a' as word");
    const refused = (view: object) =>
      server.call("getQueryRunDownload", { queryRunId, format: "csv", ...view }).catch((error: unknown) => error);
    const unknown: readonly View[] = [
      { filters: [{ column: "colour", eq: 1 }] },
      { sortBy: [{ column: "colour", direction: "asc" }] },
    ];
    for (const view of unknown) {
      const message = `Unknown column in "${Object.keys(view)[0]}": "colour"; use one of: "n", "word"`;
      expect(await refused(view)).toMatchObject({ code: -32156, message });
      const page = server.results({ queryRunId, ...view }).catch((error: unknown) => error);
      expect(await page).toMatchObject({ code: -32156, message });
    }
    expect(await refused({ filters: [{ column: "n", eq: "many" }] })).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/filters" }] },
    });
    expect(await refused({ filters: [{ column: "n" }] })).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/filters/0" }] },
    });
    expect(await refused({ filters: [{ or: [{ column: "n", eq: 1 }, { column: "n" }] }] })).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/filters/0/or/1" }] },
    });
  });
});

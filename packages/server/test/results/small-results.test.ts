import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { createTestClock, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";

const engine = oneProcessOfFile();
const hour = 3_600_000;

const sql = `select range as id, 'row ' || range as "toString", range / 7.0 as state, '\\x00\\xff'::blob as b,
  case range when 0 then null when 1 then -0.0::double when 2 then 'nan' else 1e300 / range end as d from range(5) limit 9`;

/** Reads a result in each way: pages of both formats, filters, an order, and downloads. */
async function everyWay(server: TestServer, queryRunId: string): Promise<readonly unknown[]> {
  const page = (params: object) => server.results({ queryRunId, ...params }).then(({ rows, page }) => [rows, page]);
  const download = async (format: string) => {
    const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId, format });
    return Buffer.from(await (await fetch(url)).arrayBuffer()).toString("base64");
  };
  return [
    await page({}),
    await page({ format: "json", page: { number: 2, size: 2 } }),
    await page({ page: { number: 9, size: 2 } }),
    await page({ page: { size: 0 } }),
    await page({ filters: [{ column: "id", gt: 2 }] }),
    await page({
      filters: [
        {
          or: [
            { column: "id", gt: 2 },
            { column: "d", eq: null },
          ],
        },
      ],
      format: "json",
    }),
    await page({ sortBy: [{ column: "toString", direction: "desc" }] }),
    await download("csv"),
    await download("parquet"),
  ];
}

const filesOf = (server: TestServer, folder: string) => readdir(join(server.dataDir, folder));

it("reads as one in a file, with a row number, and after a restart", async () => {
  await using other = await startServer({ kind: engine(), limits: { maxSmallResultBytes: 0 }, csvRowIndex: true });
  const ofFile = await everyWay(other, (await other.run(sql)).id);
  expect(await filesOf(other, "results")).toHaveLength(1);

  const dataDir = await temporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const first = await startServer({ dataDir, kind: engine(), csvRowIndex: true });
  const { id } = await first.run(sql);
  expect(await everyWay(first, id)).toEqual(ofFile);
  expect([await filesOf(first, "results"), await filesOf(first, "work/small-results")]).toMatchObject([
    [],
    { length: 1 },
  ]);
  await first.stop();
  await using again = await startServer({ dataDir, kind: engine(), csvRowIndex: true });
  expect(await everyWay(again, id)).toEqual(ofFile);
});

it("leaves the store and the disk when it expires", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine() });
  const { id } = await server.run("select 'expires' as word", { resultTTLHours: 1 });
  await server.results({ queryRunId: id, sortBy: [{ column: "word", direction: "asc" }] });
  const cells = () => {
    const database = new DatabaseSync(join(server.dataDir, "quern.db"), { readOnly: true });
    const row = database.prepare("SELECT record ->> '$.result.cells' AS cells FROM runs WHERE id = ?").get(id);
    database.close();
    return row?.cells;
  };
  expect([cells(), (await filesOf(server, "work/small-results")).length]).toEqual(['[["\\"expires\\""]]', 1]);
  clock.advance(hour);
  await server.reap();
  expect([cells(), await filesOf(server, "work/small-results")]).toEqual([null, []]);
});

it("is one whose values have at most as many bytes as the limit says", async () => {
  for (const statement of [sql, `select * from (${sql})`, `select $1 as text, 1.5 as r`]) {
    const parameters = statement.includes("$1") ? ["é".repeat(100)] : undefined;
    const sizes: number[] = [];
    for (const less of [0, 1]) {
      const limits = sizes[0] === undefined ? {} : { maxSmallResultBytes: sizes[0] - less };
      await using server = await startServer({ kind: engine(), limits });
      const { id, totalSize } = await server.run(statement, { parameters });
      sizes.push(Number(totalSize));
      expect([statement, await filesOf(server, "results")]).toMatchObject([statement, { length: less }]);
      expect((await server.results({ queryRunId: id })).rows).toHaveLength(parameters ? 1 : 5);
    }
  }
});

import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { createTestClock, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";

const engine = oneProcessOfFile();
const hour = 3_600_000;

const sql = `select range as id, 'row ' || range as "toString", range / 7.0 as state, '\\x00\\xff'::blob as b from range(5)`;

/** Reads a result in each way: pages of both formats, a filter, an order, and downloads. */
async function everyWay(server: TestServer, queryRunId: string): Promise<readonly unknown[]> {
  const page = (params: object) => server.results({ queryRunId, ...params }).then(({ rows }) => rows);
  const download = async (format: string) => {
    const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId, format });
    return Buffer.from(await (await fetch(url)).arrayBuffer()).toString("base64");
  };
  return [
    await page({}),
    await page({ format: "json", page: { number: 2, size: 2 } }),
    await page({ filters: [{ column: "id", gt: 2 }] }),
    await page({ sortBy: [{ column: "toString", direction: "desc" }] }),
    await download("csv"),
    await download("parquet"),
  ];
}

describe("a small result", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await temporaryDirectory();
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  const files = () => readdir(join(dataDir, "small-results"));

  it("reads as one with a file of its own, also after its local file was lost or damaged", async () => {
    await using other = await startServer({ kind: engine(), limits: { maxSmallResultBytes: 0 } });
    const ofFile = await everyWay(other, (await other.run(sql)).id);
    expect(await readdir(join(other.dataDir, "results"))).toHaveLength(1);

    const first = await startServer({ dataDir, kind: engine() });
    const { id } = await first.run(sql);
    expect(await everyWay(first, id)).toEqual(ofFile);
    await first.stop();
    expect(await readdir(join(dataDir, "results"))).toEqual([]);
    const [name = ""] = await files();
    const path = join(dataDir, "small-results", name);
    const length = (await readFile(path)).length;
    // What a power failure can leave of a file that was not flushed.
    const losses = [() => rm(path), () => truncate(path, 0), () => writeFile(path, Buffer.alloc(length))];
    for (const lose of losses) {
      await lose();
      await using again = await startServer({ dataDir, kind: engine() });
      expect(await everyWay(again, id)).toEqual(ofFile);
    }
    expect(await files()).toEqual([name]);
  });

  it("leaves the store and the disk when it expires", async () => {
    const clock = createTestClock();
    await using server = await startServer({ clock, kind: engine() });
    const { id } = await server.run("select 'expires' as word", { resultTTLHours: 1 });
    const fileIn = () => {
      const database = new DatabaseSync(join(server.dataDir, "quern.db"), { readOnly: true });
      const row = database.prepare("SELECT record ->> '$.result.file' AS file FROM runs WHERE id = ?").get(id);
      database.close();
      return row?.file;
    };
    expect(Buffer.from(String(fileIn()), "base64").toString("latin1")).toMatch(/^PAR1.*PAR1$/s);
    clock.advance(hour);
    await server.reap();
    expect(fileIn()).toBeNull();
    expect(await readdir(join(server.dataDir, "small-results"))).toEqual([]);
  });

  it("is one of at most as many bytes as the limit says, and larger ones are files", async () => {
    await using server = await startServer({ kind: engine() });
    const { totalSize } = await server.run(sql);
    for (const maxSmallResultBytes of [Number(totalSize), Number(totalSize) - 1]) {
      await using limited = await startServer({ kind: engine(), limits: { maxSmallResultBytes } });
      const { id } = await limited.run(sql);
      const isSmall = maxSmallResultBytes === Number(totalSize);
      expect(await readdir(join(limited.dataDir, "results"))).toHaveLength(isSmall ? 0 : 1);
      expect((await limited.results({ queryRunId: id })).rows).toHaveLength(5);
    }
  });
});

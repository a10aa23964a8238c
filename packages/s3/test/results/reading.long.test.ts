import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedResult } from "@quern/adapter";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createResultReader, type ResultReader } from "../../../duckdb/src/reader/reader.ts";
import { openStore, query, runOf, temporaryDirectory, writeResult } from "../fixture.ts";
import { type StorageProxy, startProxy } from "../proxy.ts";
import { startStorage, type TestStorage } from "../storage.ts";
import { hasVersitygw } from "../versitygw.ts";

const rowCount = 1_000_000;
/** Result of 24 MB with row groups of half a megabyte. */
const select = `SELECT range AS c0, hash(range) AS c1, hash(range + 1) AS c2, hash(range + 2) AS c3 FROM range(${rowCount})`;
const run = runOf("run_large");

if (!hasVersitygw())
  it.skip("reading from storage does not run here: the machine lacks go"); // as its name says
else
  describe("a result in the storage", () => {
    let storage: TestStorage;
    let proxy: StorageProxy;
    let reader: ResultReader;
    let work: string;
    let url: string;
    let bytes: Buffer;
    let stores = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
      proxy = await startProxy(storage.endpoint);
      url = (await storage.createBucket("reading")).replace(storage.endpoint, proxy.endpoint);
      const store = await openStore(url, join(work, "writer"));
      const written = await writeResult(work, select, rowCount, ["number", "a", "b", "c"]);
      bytes = await readFile(written.path);
      await store.commit(run, written);
      await store.commit(runOf("run_small"), await writeResult(work, "SELECT 7 AS c0", 1));
      reader = createResultReader({
        workDirectory: join(work, "reader"),
        spillMegabytes: 100,
        filteredPageTimeoutSeconds: 60,
        maxCopyBytes: 1e9,
        hasSpace: async () => true,
      });
    });
    beforeEach(() => {
      proxy.requests.length = 0;
    });
    afterAll(async () => {
      await reader.close();
      await proxy[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });
    const otherServer = (maxCacheBytes = 1e9) => openStore(url, join(work, `server-${++stores}`), { maxCacheBytes });
    const gets = () => proxy.requests.filter(({ path }) => path.includes("/results/"));
    const received = () => gets().reduce((sum, { responseBytes }) => sum + responseBytes, 0);

    /** Reads a page of numbers with the reader of the service. */
    async function page(opened: OpenedResult | undefined, number: number, size = 1_000): Promise<unknown> {
      const columns = ["number", "a", "b", "c"].map(
        (name) => ({ name, kind: "number", engineType: "UBIGINT" }) as const,
      );
      const task = {
        result: "run_large.1",
        paths: opened?.paths ?? [],
        columns,
        rowCount,
        page: { number, size },
        ...({ format: "csv", rowIndex: false, conditions: [], sortKeys: [], maxBytes: 1e7 } as const),
      };
      const answer = await reader.page("tenant", task, AbortSignal.timeout(60_000));
      if (!("rows" in answer)) throw new Error("the page is too large");
      return JSON.parse(Buffer.from(answer.rows).toString()).map(([first]: readonly unknown[]) => first);
    }
    const numbers = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

    it("is fetched once for all callers, byte for byte, and needs no request after", async () => {
      const store = await otherServer();
      proxy.requests.length = 0;
      const opened = await Promise.all(numbers(0, 20).map(() => store.open(run)));
      expect(new Set(opened.map((each) => each?.paths[0])).size).toBe(1);
      expect((await readFile(opened[0]?.paths[0] ?? "")).equals(bytes)).toBe(true);
      expect(gets()).toHaveLength(2); // the end with the footer, and the values
      await store.open(run);
      expect(gets()).toHaveLength(2);
    });

    it("is fetched by one request if it is small", async () => {
      const store = await otherServer();
      proxy.requests.length = 0;
      const opened = await store.open(runOf("run_small"));
      expect(await query(`FROM '${opened?.paths[0]}'`)).toEqual([[7]]);
      expect(gets()).toHaveLength(1);
    });

    it("is fetched by row groups for pages, whose rows the reader finds under their numbers", async () => {
      const store = await otherServer();
      proxy.requests.length = 0;
      for (const number of [1, 1_000, 500, 21]) {
        const first = (number - 1) * 1_000;
        const opened = await store.open(run, { first, count: 2_000 });
        expect(await page(opened, number)).toEqual(numbers(first, 1_000));
        const { size, blocks } = await stat(opened?.paths[0] ?? "");
        expect(size).toBe(bytes.length);
        expect(blocks * 512).toBeLessThan(4_000_000);
        await opened?.release();
      }
      expect(received()).toBeLessThan(bytes.length / 2);
      const again = gets().length;
      await (await store.open(run, { first: 500, count: 1_000 }))?.release();
      expect(gets()).toHaveLength(again);
    });

    it("is fetched once by pages in sequence, each of which needs the rows of the next one, too", async () => {
      const store = await otherServer();
      proxy.requests.length = 0;
      const size = 100_000;
      for (let number = 1; number <= 10; number += 1) {
        const first = (number - 1) * size;
        const opened = await store.open(run, { first, count: 2 * size });
        expect(await page(opened, number, size)).toEqual(numbers(first, size));
        await opened?.release();
      }
      expect(received()).toBeLessThan(bytes.length + 1_048_576 + 10_000); // the end with the footer is read twice
    });

    it("has pages before its first, after its last and of no row", async () => {
      const store = await otherServer();
      for (const rows of [
        { first: rowCount + 5_000, count: 1_000 },
        { first: 0, count: 0 },
        { first: rowCount - 1, count: 2_000 },
      ]) {
        const opened = await store.open(run, rows);
        const number = Math.floor(rows.first / 1_000) + 1;
        expect(await page(opened, number, 1_000)).toEqual(number > 1_000 ? [] : numbers((number - 1) * 1_000, 1_000));
        await opened?.release();
      }
    });

    it("is fetched whole for most of its rows", async () => {
      const store = await otherServer();
      const opened = await store.open(run, { first: 100_000, count: 800_000 });
      expect((await readFile(opened?.paths[0] ?? "")).equals(bytes)).toBe(true);
    });

    it("is continued after a broken connection, and while the storage is restarted", async () => {
      const store = await otherServer();
      proxy.requests.length = 0;
      proxy.breakAfterBytes = 10_000_000;
      const opened = await store.open(run);
      expect((await readFile(opened?.paths[0] ?? "")).equals(bytes)).toBe(true);
      expect(proxy.breakAfterBytes).toBeUndefined();
      expect(received()).toBeLessThan(bytes.length * 1.2 + 1_048_576);
      const other = await otherServer();
      let restarted: Promise<void> | undefined;
      const timer = setInterval(() => {
        if (received() > bytes.length * 1.2 + 2_000_000) restarted ??= storage.stop().then(storage.start);
      }, 1);
      const interrupted = await other.open(run);
      clearInterval(timer);
      expect(restarted).toBeDefined();
      await restarted;
      expect((await readFile(interrupted?.paths[0] ?? "")).equals(bytes)).toBe(true);
    });

    it("survives a restart of the server in its cache, and is fetched again if its copy is damaged", async () => {
      const store = await otherServer();
      const opened = await store.open(run);
      const directory = join(work, `server-${stores}`);
      const next = await openStore(url, directory);
      proxy.requests.length = 0;
      await next.open(run);
      expect(gets()).toEqual([]);
      const damaged = Buffer.from(bytes);
      damaged[(bytes.length / 2) | 0] = (damaged[(bytes.length / 2) | 0] ?? 0) ^ 1;
      await writeFile(opened?.paths[0] ?? "", damaged);
      const last = await openStore(url, directory);
      const again = await last.open(run);
      expect((await readFile(again?.paths[0] ?? "")).equals(bytes)).toBe(true);
      expect(gets().length).toBeGreaterThan(0);
    });

    it("that was damaged in the storage is an error, not a wrong page", async () => {
      const store = await otherServer();
      await store.commit(runOf("run_damaged"), await writeResult(work, select, rowCount, ["number", "a", "b", "c"]));
      const key = "results/run_damaged.1.parquet";
      const { HeadObjectCommand, PutObjectCommand } = await import("@aws-sdk/client-s3");
      const { Metadata } = await storage.client.send(new HeadObjectCommand({ Bucket: "reading", Key: key }));
      const Body = Buffer.from(bytes);
      Body.fill(0, 1_000, 2_000);
      await storage.client.send(
        new PutObjectCommand({ Bucket: "reading", Key: key, Body, ...(Metadata && { Metadata }) }),
      );
      const failure = (await otherServer()).open(runOf("run_damaged"));
      await expect(failure).rejects.toThrow(/^Damaged result results\/run_damaged\.1\.parquet: its checksum is/);
    });

    it("that is removed by another server is missing, and leaves the caches at a sweep", async () => {
      const [one, other] = [await otherServer(), await otherServer()];
      await one.commit(runOf("run_gone"), await writeResult(work, "SELECT 1 AS c0", 1));
      await (await other.open(runOf("run_gone")))?.release();
      await one.remove(runOf("run_gone"));
      expect(await (await otherServer()).open(runOf("run_gone"))).toBeUndefined();
      await other.sweepCache(async () => undefined);
      expect(await other.open(runOf("run_gone"))).toBeUndefined();
    });
  });

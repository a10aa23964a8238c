import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/fixture.ts";
import { sharedCases } from "../../server/test/shared/cases.ts";
import { createLocalStorage } from "../../server/test/shared/local-storage.ts";
import { type SharedStorage, startShared } from "../../server/test/shared/servers.ts";
import { openStore, temporaryDirectory } from "./fixture.ts";
import { type StorageProxy, startProxy } from "./proxy.ts";
import { startStorage, type TestStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

const rowCount = 1_000_000;
/** Result of 24 MB. */
const large = `select range as n, hash(range) as a, hash(range + 1) as b, hash(range + 2) as c from range(${rowCount})`;

if (!hasVersitygw())
  it.skip("servers with results in object storage do not run here: the machine lacks go"); // as its name says
else
  describe("several servers with results in object storage", () => {
    let objects: TestStorage;
    let proxy: StorageProxy;
    let work: string;
    let services = 0;
    let servers = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      objects = await startStorage();
      proxy = await startProxy(objects.endpoint);
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await objects[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    /** Creates a bucket and a store of runs for the servers of a test. */
    async function createShared(): Promise<SharedStorage & AsyncDisposable> {
      const local = await createLocalStorage();
      const url = (await objects.createBucket(`service-${++services}`)).replace(objects.endpoint, proxy.endpoint);
      const options = { serviceId: "service", isReadableForAll: true, maxCacheBytes: 60_000_000 };
      return {
        openStore: local.openStore,
        openResults: () => openStore(url, join(work, `server-${++servers}`), options),
        [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
      };
    }

    // The others store nothing that another server reads: they run on PostgreSQL.
    const ofStorage = sharedCases.filter(({ name }) => /^(?:executes a run|reads an upload|continues) /.test(name));
    it.each(ofStorage.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
      await using shared = await createShared();
      await run(shared);
    });

    it("read pages, sorted pages and downloads of a large result that another server has stored", async () => {
      await using shared = await createShared();
      await using one = await startShared(shared);
      await using other = await startShared(shared);
      const { queryRun } = await one.create({ sql: large });
      expect((await one.get(queryRun.id, 50)).state).toBe("QUERY_STATE_SUCCESS");
      proxy.requests.length = 0;
      for (const number of [1, 2, 3, 4, 500, 1_000]) {
        const { rows } = await other.results({ queryRunId: queryRun.id, page: { number, size: 1_000 } });
        const first = (number - 1) * 1_000;
        expect(rows?.map((row) => Object.values(row)[0])).toEqual(
          Array.from({ length: 1_000 }, (_, index) => first + index),
        );
      }
      const received = (): number => proxy.requests.reduce((sum, { responseBytes }) => sum + responseBytes, 0);
      expect(received()).toBeLessThan(12_000_000);
      const last = await other.results({
        queryRunId: queryRun.id,
        page: { number: 1, size: 2 },
        sortBy: [{ column: "n", direction: "desc" }],
      });
      expect(last.rows?.map((row) => Object.values(row)[0])).toEqual([rowCount - 1, rowCount - 2]);
      const { url } = await other.call<{ url: string }>("getQueryRunDownload", {
        queryRunId: queryRun.id,
        format: "csv",
      });
      const text = await (await fetch(url)).text();
      expect(text.match(/\n/g)).toHaveLength(rowCount + 1);
      const view = await one.call<{ url: string }>("getQueryRunDownload", {
        queryRunId: queryRun.id,
        format: "csv",
        filters: [{ column: "n", gte: rowCount - 3 }],
        sortBy: [{ column: "n", direction: "desc" }],
      });
      const [, ...lines] = (await (await fetch(view.url.replace(one.url, other.url))).text()).trimEnd().split("\n");
      expect(lines.map((line) => Number(line.split(",")[0]))).toEqual([rowCount - 1, rowCount - 2, rowCount - 3]);
    });

    it("keep a run whose result cannot be stored, are not ready, and store it when the storage is back", async () => {
      await using shared = await createShared();
      await using one = await startShared(shared, { limits: { maxSmallResultBytes: 0 } });
      const { queryRun } = await one.create({ sql: "select 'held' as v" });
      await eventually(() => one.gate.waiting === 1);
      await objects.stop();
      await eventually(async () => (await fetch(`${one.url}/readyz`)).status === 503);
      one.gate.open();
      await eventually(async () => (await one.get(queryRun.id)).state === "QUERY_STATE_STREAMING_RESULTS");
      await objects.start();
      expect((await one.get(queryRun.id, 50)).state).toBe("QUERY_STATE_SUCCESS");
      expect((await one.results({ queryRunId: queryRun.id })).rows).toEqual([["held"]]);
      await eventually(async () => (await fetch(`${one.url}/readyz`)).status === 200);
    });
  });

import { cpSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DeleteBucketCommand, DeleteObjectCommand } from "@aws-sdk/client-s3";
import { abandonResults } from "@quern/server/administration";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createGate,
  duckdbKind,
  eventually,
  type Gate,
  gatedKind,
  RpcError,
  startServer,
  type TestServer,
} from "../../server/test/fixture.ts";
import { openStore, temporaryDirectory } from "./fixture.ts";
import { startStorage, type TestStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

const expired = -32172;

if (!hasVersitygw())
  it.skip("disasters of a service with a bucket do not run here: the machine lacks go"); // as its name says
else
  describe("a service with results in a bucket", () => {
    let storage: TestStorage;
    let work: string;
    let buckets = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
    });
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    /** Creates a bucket, and starts servers on it that each have a data directory. */
    async function createService() {
      const bucket = `disaster-${++buckets}`;
      const results = await storage.createBucket(bucket);
      const directoryOf = (name: string) => join(work, `${bucket}-${name}`);
      const start = async (name: string, gate?: Gate): Promise<TestServer> => {
        const kind = gate === undefined ? undefined : gatedKind(await duckdbKind(), { before: gate });
        return startServer({
          dataDir: directoryOf(name),
          results,
          kind,
          limits: { maxRunningRuns: 2, maxSmallResultBytes: 0 },
        });
      };
      /** Starts a server whose sweep at the start has not reached its objects yet, as in a bucket with many. */
      const startUnswept = async (name: string): Promise<TestServer> => {
        const opened = await openStore(results, directoryOf(name));
        return startServer({ dataDir: directoryOf(name), results: { ...opened, sweep: async () => {} } });
      };
      /** Copies the store of a server that has stopped to the data directory of one that starts, without any other file. */
      const restore = (from: string, to: string): void =>
        cpSync(join(directoryOf(from), "quern.db"), join(directoryOf(to), "quern.db"));
      const keys = async () => (await storage.keys(bucket)).filter((key) => key.startsWith("results/"));
      const abandon = (name: string) => abandonResults({ dataDir: directoryOf(name), results });
      return { bucket, start, startUnswept, restore, keys, abandon };
    }

    async function refusalOf(call: Promise<unknown>): Promise<number | undefined> {
      return call.then(
        () => undefined,
        (error: unknown) => (error instanceof RpcError ? error.code : Number.NaN),
      );
    }

    it("executes runs again whose results the bucket has from after the backup of the store, and removes these", async () => {
      const { start, startUnswept, restore, keys } = await createService();
      const gate = createGate();
      const before = await start("a", gate);
      const queued = [];
      for (const n of [1, 2, 3]) queued.push(await before.create({ sql: `select ${n} as v` }));
      await eventually(() => gate.waiting === 2);
      await before.stop(); // the backup: all three runs are in the queue
      restore("a", "b");
      const later = await start("a");
      for (const { queryRun } of queued) expect((await later.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
      const unknown = await later.run("select 'after the backup' as v");
      await later.stop();
      expect(await keys()).toHaveLength(4);

      await using restored = await startUnswept("b");
      for (const [index, { queryRun }] of queued.entries()) {
        const run = await restored.get(queryRun.id, 30);
        expect([run.state, run.errorMessage]).toEqual(["QUERY_STATE_SUCCESS", null]);
        expect((await restored.results({ queryRunId: run.id })).rows).toEqual([[index + 1]]);
      }
      await expect(restored.get(unknown.id)).rejects.toThrow(RpcError);
      await restored.stop();
      await using swept = await start("b");
      await eventually(async () => (await keys()).length === 3);
      for (const { queryRun } of queued)
        expect((await swept.results({ queryRunId: queryRun.id })).rows).toHaveLength(1);
    });

    it("lets the results expire that an older bucket lacks, and executes equal requests again", async () => {
      const { bucket, start, keys } = await createService();
      await using server = await start("a");
      const { id } = await server.run("select 1 as v");
      const kept = await server.run("select 2 as v");
      const [lost = ""] = (await keys()).filter((key) => key.includes(id));
      await storage.client.send(new DeleteObjectCommand({ Bucket: bucket, Key: lost }));
      await rm(join(server.dataDir, "result-cache"), { recursive: true });
      await server.stop();
      await using restarted = await start("a");
      expect(await refusalOf(restarted.results({ queryRunId: id }))).toBe(expired);
      expect((await restarted.results({ queryRunId: kept.id })).rows).toEqual([[2]]);
      const again = await restarted.run("select 1 as v", { maxAgeMinutes: 60 });
      expect(again.id).not.toBe(id);
      expect((await restarted.results({ queryRunId: again.id })).rows).toEqual([[1]]);
    });

    it("fails no run while the bucket is missing, and stores no result in an empty one before it is claimed", async () => {
      const { bucket, start, keys, abandon } = await createService();
      const gate = createGate();
      const server = await start("a", gate);
      const { queryRun } = await server.create({ sql: "select 1 as v" });
      await eventually(() => gate.waiting === 1);
      for (const Key of await storage.keys(bucket))
        await storage.client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      await storage.client.send(new DeleteBucketCommand({ Bucket: bucket }));
      gate.open();
      await setTimeout(5_000); // several attempts to store the result
      expect((await server.get(queryRun.id)).state).toBe("QUERY_STATE_STREAMING_RESULTS");
      await storage.createBucket(bucket);
      await setTimeout(5_000);
      // A service refuses to start on a bucket with results but without `quern.json`.
      expect(await keys()).toEqual([]);
      await server.stop();
      await expect(start("a")).rejects.toThrow("No results of this service");
      await abandon("a");
      await using restarted = await start("a");
      expect((await restarted.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
      expect((await restarted.results({ queryRunId: queryRun.id })).rows).toEqual([[1]]);
    });

    it("expires no result while the bucket is missing, and claims an empty one once the results are given up", async () => {
      const { bucket, start, abandon } = await createService();
      const server = await start("a");
      const { id } = await server.run("select 1 as v");
      await rm(join(server.dataDir, "result-cache"), { recursive: true });
      for (const Key of await storage.keys(bucket))
        await storage.client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      await storage.client.send(new DeleteBucketCommand({ Bucket: bucket }));
      await eventually(async () => (await fetch(`${server.url}/readyz`)).status === 503);
      expect(await refusalOf(server.results({ queryRunId: id }))).not.toBe(expired);
      await storage.createBucket(bucket);
      // Without its object quern.json, the bucket may be that of another service.
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      await server.stop();
      await expect(start("a")).rejects.toThrow("No results of this service");
      await abandon("a");
      await expect(abandon("a")).rejects.toThrow("has the results of this service; nothing was changed");
      await using restarted = await start("a");
      expect((await fetch(`${restarted.url}/readyz`)).status).toBe(200);
      expect(await refusalOf(restarted.results({ queryRunId: id }))).toBe(expired);
      expect((await restarted.run("select 3 as v")).state).toBe("QUERY_STATE_SUCCESS");
    });
  });

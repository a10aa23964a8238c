import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore, query, runOf, temporaryDirectory, writeResult } from "../fixture.ts";
import { type StorageProxy, startProxy } from "../proxy.ts";
import { startStorage, type TestStorage } from "../storage.ts";
import { hasVersitygw } from "../versitygw.ts";

/** Result of 24 MB, which is uploaded in several parts. */
const many = `SELECT hash(range) AS c0 FROM range(3000000)`;

if (!hasVersitygw())
  it.skip("commits do not run here: the machine lacks go"); // as its name says
else
  describe("a commit", () => {
    let storage: TestStorage;
    let proxy: StorageProxy;
    let work: string;
    let bucket: string;
    let url: string;
    let buckets = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
      proxy = await startProxy(storage.endpoint);
    });
    beforeEach(async () => {
      bucket = `commits-${++buckets}`;
      url = (await storage.createBucket(bucket)).replace(storage.endpoint, proxy.endpoint);
      proxy.fault = () => "none";
      proxy.requests.length = 0;
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });
    const storeOf = (name: string) => openStore(url, join(work, bucket, name));
    const results = async () => (await storage.keys(bucket)).filter((key) => key.startsWith("results/"));

    it.each([
      ["small", "SELECT unnest([1, 2]) AS c0", 2],
      ["large", many, 3_000_000],
    ])("of the same run and attempt succeeds on one of several servers: a %s result", async (_, select, rowCount) => {
      const stores = await Promise.all(["a", "b", "c"].map(storeOf));
      const ready = await Promise.all(
        stores.map(async (store) => ({ store, written: await writeResult(work, select, rowCount) })),
      );
      const outcomes = await Promise.allSettled(
        ready.map(({ store, written }) => store.commit(runOf("run_a"), written)),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const [refused] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(refused).toMatchObject({
        name: "ResultExistsError",
        message: expect.stringContaining("The result results/run_a.1.parquet is stored already"),
      });
      expect(await results()).toEqual(["results/run_a.1.parquet"]);
      const opened = await (await storeOf("d")).open(runOf("run_a"));
      expect(await query(`SELECT count(*) FROM '${opened?.paths[0]}'`)).toEqual([[String(rowCount)]]);
    });

    it.each([
      ["small", "SELECT 1 AS c0", 1, "PUT"],
      ["large", many, 3_000_000, "POST"],
    ])("succeeds if the answer to its last request is lost: a %s result", async (_, select, rowCount, method) => {
      const store = await storeOf("a");
      let dropped = 0;
      let posts = 0;
      proxy.fault = (passed) => {
        if (!passed.path.includes("run_a") || passed.method !== method) return "none";
        posts += 1;
        if (method === "POST" && posts === 1) return "none"; // it begins the upload
        dropped += 1;
        return dropped === 1 ? "dropAnswer" : "none";
      };
      await store.commit(runOf("run_a"), await writeResult(work, select, rowCount));
      expect(dropped).toBeGreaterThan(1);
      expect(await results()).toEqual(["results/run_a.1.parquet"]);
    });

    it("waits for a storage that is restarted", async () => {
      const store = await storeOf("a");
      const written = await writeResult(work, many, 3_000_000);
      await storage.stop();
      const commit = store.commit(runOf("run_a"), written);
      await setTimeout(4_000); // longer than the client itself retries
      await storage.start();
      expect(await commit).toMatchObject({ rowCount: 3_000_000 });
      expect(await results()).toEqual(["results/run_a.1.parquet"]);
    });

    it("continues when the storage is restarted during the upload", async () => {
      const store = await storeOf("a");
      const written = await writeResult(work, many, 3_000_000);
      let restarted: Promise<void> | undefined;
      proxy.fault = ({ method, path }) => {
        const isPart = method === "PUT" && path.includes("run_a");
        if (isPart)
          restarted ??= storage
            .stop()
            .then(() => setTimeout(2_000))
            .then(storage.start);
        return "none";
      };
      await store.commit(runOf("run_a"), written);
      await restarted;
      const opened = await (await storeOf("b")).open(runOf("run_a"));
      expect(await query(`SELECT count(*) FROM '${opened?.paths[0]}'`)).toEqual([["3000000"]]);
      // Parts of an interrupted upload may be left. A sweep removes them when the run no longer executes.
      await store.sweep(async () => undefined);
      expect(await results()).toEqual([]);
    });

    it("fails with an UnavailableError that names the storage and no key, and can be repeated", async () => {
      const store = await storeOf("a");
      const written = await writeResult(work, "SELECT 1 AS c0", 1);
      await storage.stop();
      proxy.requests.length = 0;
      // The upload retries for 30 seconds of this clock.
      vi.useFakeTimers({ toFake: ["Date"] });
      const failing = store.commit(runOf("run_a"), written).catch((error: unknown) => error);
      await vi.waitUntil(() => proxy.requests.length > 0, { timeout: 60_000 });
      vi.setSystemTime(Date.now() + 31_000);
      const failure = await failing;
      vi.useRealTimers();
      expect(failure).toMatchObject({
        name: "UnavailableError",
        message: `The object storage s3://${bucket} is unavailable: ECONNRESET`,
      });
      expect(existsSync(written.path)).toBe(true);
      await storage.start();
      expect(await store.commit(runOf("run_a"), written)).toMatchObject({ rowCount: 1 });
      expect(existsSync(written.path)).toBe(false);
    });

    it("succeeds again with the same file on the same server, whose first answer may be lost, and on no other", async () => {
      const [one, other] = [await storeOf("a"), await storeOf("b")];
      const write = () => writeResult(work, "SELECT 5 AS c0", 1);
      await one.commit(runOf("run_a"), await write());
      expect(await one.commit(runOf("run_a"), await write())).toMatchObject({ rowCount: 1 });
      const refused = {
        name: "ResultExistsError",
        message: expect.stringContaining("The result results/run_a.1.parquet is stored already"),
      };
      await expect(other.commit(runOf("run_a"), await write())).rejects.toMatchObject(refused);
      await expect(one.commit(runOf("run_a"), await writeResult(work, "SELECT 6 AS c0", 1))).rejects.toMatchObject(
        refused,
      );
    });

    it("leaves the first page in the cache, so that no request reads it", async () => {
      const store = await storeOf("a");
      await store.commit(runOf("run_a"), await writeResult(work, "SELECT 1 AS c0", 1));
      proxy.requests.length = 0;
      const opened = await store.open(runOf("run_a"), { first: 0, count: 10 });
      expect(await query(`FROM '${opened?.paths[0]}'`)).toEqual([["1"]].map((row) => row.map(Number)));
      expect(proxy.requests).toEqual([]);
    });
  });

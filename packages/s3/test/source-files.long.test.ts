import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CreateMultipartUploadCommand, GetObjectCommand } from "@aws-sdk/client-s3";
import type { SourceFiles } from "@quern/adapter";
import { sourceFilesContract } from "@quern/adapter/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openSourceFiles } from "../src/source-files.ts";
import { openStore, temporaryDirectory } from "./fixture.ts";
import { type StorageProxy, startProxy } from "./proxy.ts";
import { startStorage, type TestStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

const name = "shop/1-0a0a0a0a.duckdb";

if (!hasVersitygw())
  it.skip("files of data sources in object storage do not run here: the machine lacks go"); // as its name says
else
  describe("files of data sources in object storage", () => {
    let storage: TestStorage;
    let proxy: StorageProxy;
    let work: string;
    let bucket: string;
    let url: string;
    let made = 0;
    const opened: SourceFiles[] = [];
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
      proxy = await startProxy(storage.endpoint);
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
      proxy.fault = () => "none";
      for (const files of opened.splice(0)) await files.close();
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    async function createBucket(): Promise<void> {
      bucket = `sources-${++made}`;
      url = (await storage.createBucket(bucket)).replace(storage.endpoint, proxy.endpoint);
      proxy.requests.length = 0;
    }

    async function open(address = url, maxCacheBytes = 1e9, directory = `copies-${++made}`): Promise<SourceFiles> {
      const cacheDirectory = join(work, directory);
      await mkdir(cacheDirectory, { recursive: true });
      const files = await openSourceFiles({ url: address, cacheDirectory, maxCacheBytes, isReadableForAll: false });
      opened.push(files);
      return files;
    }

    async function write(text: string): Promise<string> {
      const path = join(work, `written-${++made}`);
      await writeFile(path, text);
      return path;
    }

    const put = (key: string, text: string) => storage.put(bucket, key, text);
    const fetches = (file: string): number =>
      proxy.requests.filter(({ method, path }) => method === "GET" && path.endsWith(file)).length;

    it.each(sourceFilesContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
      await createBucket();
      await run({
        files: await open(),
        another: await open(),
        write,
        read: (path) => readFile(path, "utf8"),
        async damage(file) {
          await put(`sources/${file}`, "rowz");
        },
        async addIncomplete(file) {
          await storage.client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `sources/${file}` }));
        },
        async storedFiles() {
          const keys = (await storage.keys(bucket)).filter((key) => key !== "sources/index.json");
          return keys.map((key) => key.slice("sources/".length)).sort();
        },
        fetches,
      });
    });

    it("can be beside results, whichever is written first", async () => {
      await createBucket();
      const files = await open();
      await files.replaceIndex(undefined, "index");
      const results = await openStore(url, join(work, "results"), { serviceId: "service" });
      await results.check();
      await results.close();
      await createBucket();
      await (await openStore(url, join(work, "others"), { serviceId: "service" })).close();
      expect(await (await open()).replaceIndex(undefined, "index")).toBe(true);
      expect((await storage.keys(bucket)).toSorted()).toEqual(["quern.json", "sources/index.json"]);
    });

    it("remove the oldest copies above the cap, and use copies of the last start after a check", async () => {
      await createBucket();
      const writer = await open();
      const [one, two] = [
        await writer.add("a/1-0a0a0a0a.duckdb", await write("a".repeat(600))),
        await writer.add("b/1-0a0a0a0a.duckdb", await write("b".repeat(600))),
      ];
      const files = await open(url, 1_000, "kept");
      for (const file of [one, two, one, one]) await (await files.open(file))?.release();
      expect([fetches(one.name), fetches(two.name)]).toEqual([2, 1]);
      const [copy = "", ...others] = await readdir(join(work, "kept"));
      expect(others).toEqual([]);
      const restarted = await open(url, 1_000, "kept");
      await (await restarted.open(one))?.release();
      expect(fetches(one.name)).toBe(2);
      await writeFile(join(work, "kept", copy), "x".repeat(600));
      const again = await (await open(url, 1_000, "kept")).open(one);
      expect(await readFile(again?.path ?? "", "utf8")).toBe("a".repeat(600));
      expect(fetches(one.name)).toBe(3);
      await again?.release();
    });

    it("fail, as in no outage, if copies in use leave no space for another until the wait ends", async () => {
      await createBucket();
      const writer = await open();
      const one = await writer.add("a/1-0a0a0a0a.duckdb", await write("a".repeat(600)));
      const two = await writer.add("b/1-0a0a0a0a.duckdb", await write("b".repeat(600)));
      const files = await open(url, 1_000);
      const inUse = await files.open(one);
      vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.abort()); // in place of 30 seconds
      const refused = await files.open(two).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        name: "Error",
        message: "The local cache is full: 600 of 1000 bytes are in use; if this persists, raise maxSourceCacheBytes.",
      });
      await inUse?.release();
      await (await files.open(two))?.release();
      expect(files.maxCopyBytes).toBe(1_000);
    });

    it("continue a broken connection, and repeat a write whose answer was lost", async () => {
      await createBucket();
      const files = await open();
      const text = "0123456789".repeat(200_000);
      let isDropped = false;
      proxy.fault = ({ method, path }) => {
        if (method !== "PUT" || !path.endsWith(name) || isDropped) return "none";
        isDropped = true;
        return "dropAnswer";
      };
      const file = await files.add(name, await write(text));
      expect(isDropped).toBe(true);
      proxy.breakAfterBytes = 1_000_000;
      const copy = await files.open(file);
      expect(proxy.breakAfterBytes).toBeUndefined();
      expect((await readFile(copy?.path ?? "", "utf8")) === text).toBe(true);
      await copy?.release();
    });

    it("refuse a storage that ignores the conditions of writes", async () => {
      await createBucket();
      const files = await open();
      proxy.fault = ({ method }) => (method === "PUT" ? "accept" : "none");
      await expect(files.replaceIndex(undefined, "index")).rejects.toThrow(/ignores If-Match or If-None-Match/);
    });

    it("say in one line without a secret what is wrong with the address, the bucket or the credentials", async () => {
      await createBucket();
      const refusal = (address: string): Promise<string> =>
        open(address).then(
          () => "opened",
          ({ message }) => message,
        );
      expect(await refusal("s3://key:hush@bucket")).toBe(
        "Invalid address of sources: it has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      );
      expect(await refusal(url.replace(bucket, "no-such-bucket"))).toMatch(/^Unknown bucket: no-such-bucket at http/);
      expect(await refusal("s3://bucket?endpoint=http://127.0.0.1:1")).toMatch(/^Cannot reach the object storage at /);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hush");
      const denied = await refusal(url);
      expect(denied).toMatch(/^Access to s3:\/\/sources-\d+ at http:\S+ denied: SignatureDoesNotMatch; check/);
      expect(denied).not.toMatch(/hush|\n/);
    });

    it("throw an UnavailableError during an outage, and serve copies meanwhile", async () => {
      await createBucket();
      const files = await open();
      const file = await files.add(name, await write("rows"));
      await (await files.open(file))?.release();
      await storage.stop();
      await expect(files.index()).rejects.toMatchObject({ name: "UnavailableError" });
      const copy = await files.open(file);
      expect(await readFile(copy?.path ?? "", "utf8")).toBe("rows");
      await copy?.release();
      await storage.start();
      expect(await files.index()).toBeUndefined();
    });

    it("leave objects of others in the sweep", async () => {
      await createBucket();
      const keys = ["sources/README.md", "sources/shop/notes.duckdb", "other/1-0a0a0a0a.duckdb", "results/x"];
      for (const key of keys) await put(key, "theirs");
      await (await open()).sweep(() => false);
      expect((await storage.keys(bucket)).toSorted()).toEqual(keys.toSorted());
      const { Body } = await storage.client.send(new GetObjectCommand({ Bucket: bucket, Key: "results/x" }));
      expect(await Body?.transformToString()).toBe("theirs");
    });
  });

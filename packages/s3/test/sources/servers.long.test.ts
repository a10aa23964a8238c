import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Ended, quern } from "../../../cli/test/quern.ts";
import { describeOnPostgres } from "../../../postgres/test/store/fixture.ts";
import { eventually, startServer, type TestServer } from "../../../server/test/fixture.ts";
import { credentials, startStorage, type TestStorage } from "../storage.ts";
import { hasVersitygw } from "../versitygw.ts";

const environment = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };

if (!hasVersitygw())
  it.skip("servers with data sources in a bucket do not run here: the machine lacks go"); // as its name says
else
  await describeOnPostgres("servers on one database with data sources in a bucket", (database) => {
    let storage: TestStorage;
    let work: string;
    let url: string;
    let store: string;
    let buckets = 0;
    beforeAll(async () => {
      work = await mkdtemp(join(tmpdir(), "quern-test-"));
      storage = await startStorage();
    });
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    async function createService(): Promise<void> {
      store = await database.createDatabase();
      url = await storage.createBucket(`service-${++buckets}`);
    }
    const start = (): Promise<TestServer> => startServer({ store, results: url, sources: url });

    async function sources(...words: readonly string[]): Promise<Ended> {
      const ended = await quern(["sources", ...words], { ...environment, QUERN_SOURCES: url });
      expect(`${ended.stdout}${ended.stderr}`).not.toContain(credentials.secretAccessKey);
      return ended;
    }

    async function loaded(...words: readonly string[]): Promise<void> {
      expect(await sources(...words)).toMatchObject({ status: 0, stderr: "" });
    }

    async function writeNumbers(...numbers: readonly number[]): Promise<string> {
      const path = join(work, "numbers.csv");
      await writeFile(path, ["n", ...numbers, ""].join("\n"));
      return path;
    }

    const sum = "select sum(n)::INTEGER as total from numbers";
    const inShop = { dataSource: "shop" };
    it("see a loaded source, run it on either, and reuse each other's results until the next load", async () => {
      await createService();
      await loaded("add", "shop", await writeNumbers(1, 2)); // before the first server starts
      await using one = await start();
      await using other = await start();
      for (const server of [one, other]) expect(await server.rows(sum, inShop)).toEqual([[3]]);
      const first = await one.run(sum, { ...inShop, maxAgeMinutes: 60 });
      expect((await other.create({ sql: sum, ...inShop, maxAgeMinutes: 60 })).queryRun.id).toBe(first.id);

      await writeNumbers(10, 20);
      await loaded("load", "shop");
      // A run reads the new version at once, on every server.
      for (const server of [one, other]) expect(await server.rows(`${sum} -- again`, inShop)).toEqual([[30]]);
      // Results of the old version are reused for one poll at most.
      const fresh = async (server: TestServer) => server.rows(sum, { ...inShop, maxAgeMinutes: 60 });
      for (const server of [one, other])
        await vi.waitFor(async () => expect(await fresh(server)).toEqual([[30]]), { timeout: 30_000, interval: 500 });
      await one.run(`${sum} -- shared`, { ...inShop, maxAgeMinutes: 60 });
      const reused = await other.create({ sql: `${sum} -- shared`, ...inShop, maxAgeMinutes: 60 });
      expect(reused.queryRun.state).toBe("QUERY_STATE_SUCCESS");
    });

    it("see a source that was added while they run, which a query names within a poll", async () => {
      await createService();
      await using one = await start();
      await using other = await start();
      expect(await one.rows("select 1")).toEqual([[1]]); // the source none
      await loaded("add", "shop", await writeNumbers(7));
      for (const server of [one, other])
        await vi.waitFor(async () => expect(await server.rows(sum, inShop)).toEqual([[7]]), { timeout: 30_000 });
    });

    it("keep the copies of an earlier version until its readers end", async () => {
      await createService();
      await loaded("add", "shop", await writeNumbers(5));
      await using other = await start();
      expect(await other.rows(sum, inShop)).toEqual([[5]]);
      const copies = () => readdir(join(other.dataDir, "source-cache"));
      expect(await copies()).toHaveLength(1);
      const slow = other.rows("select count(*)::INTEGER from numbers, range(3000000000)", inShop).catch(() => "ended");
      await eventually(
        async () =>
          (await other.call<{ queryRuns: { state: string }[] }>("listQueryRuns", {})).queryRuns[0]?.state ===
          "QUERY_STATE_RUNNING",
      );
      await loaded("load", "shop");
      await vi.waitFor(async () => expect(await other.rows(sum, inShop)).toEqual([[5]]), { timeout: 30_000 });
      expect((await copies()).length).toBe(2); // the reader of the old version still has it
      const { queryRuns } = await other.call<{ queryRuns: { id: string; state: string }[] }>("listQueryRuns", {});
      const running = queryRuns.find(({ state }) => state === "QUERY_STATE_RUNNING");
      await other.call("cancelQueryRun", { queryRunId: running?.id });
      await slow;
      await vi.waitFor(async () => expect(await copies()).toHaveLength(1), { timeout: 30_000, interval: 250 });
    });

    it("answer beside a source of another engine, whose name the bucket cannot have", async () => {
      await createService();
      const dataDir = await mkdtemp(join(work, "data-"));
      const from = await writeNumbers(7);
      await loaded("add", "shop", from);
      const live = (name: string) =>
        sources("add", name, "postgres://reader@127.0.0.1:1/shop", "--kind", "postgres", "--data-dir", dataDir);
      expect(await live("shop")).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/Name of a source already in use: shop has loaded tables in s3:\/\/service-\d+;/),
      });
      expect(await live("live")).toMatchObject({ status: 0, stderr: "" });
      const refused = await sources("add", "live", from, "--data-dir", dataDir);
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("already in use: live is the file") });
      const elsewhere = await mkdtemp(join(work, "data-"));
      await loaded("add", "live", from, "--data-dir", elsewhere); // another machine cannot know
      await using server = await startServer({ store, results: url, sources: url, dataDir });
      for (const dataSource of ["shop", "live"]) expect(await server.rows(sum, { dataSource })).toEqual([[7]]);
    });

    it("load from objects of a bucket, list, check and remove, by the commands of another machine", async () => {
      await createService();
      const exports = (await storage.createBucket(`exports-${buckets}`)).replace("?", "/daily/orders?");
      const Bucket = `exports-${buckets}`;
      for (const [Key, Body] of [
        ["daily/orders/a.csv", "n\n1\n"],
        ["daily/orders/b.csv", "n,m\n2,3\n"],
      ] as const)
        await storage.put(Bucket, Key, Body);
      await loaded("add", "shop", exports, "--type", "n=BIGINT");
      const listed = await sources("list", "--format", "csv");
      expect(listed.stdout).toMatch(/^source,table,rows,from,loaded_at\nshop,shop\.main\.orders,2,s3:\/\/exports-/);
      await storage.put(Bucket, "daily/orders/c.csv", "n,m\n4,5\n");
      await loaded("load", "shop", "orders");
      expect((await sources("check", "--format", "csv")).stdout).toContain("shop.main.orders,3,true,");
      await using server = await start();
      expect(await server.rows("select sum(n)::INTEGER, sum(m)::INTEGER from orders", inShop)).toEqual([[7, 8]]);
      await loaded("remove", "shop");
      expect((await sources("list", "--format", "csv")).stdout).toBe("source,table,rows,from,loaded_at\n");
      const missing = await sources("load", "shop");
      const doctor = await quern(["doctor", "--format", "csv"], { ...environment, QUERN_SOURCES: url });
      expect(doctor.stdout).toContain("sources,true,The bucket of the data sources can be read.");
      expect(missing).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/Unknown source: shop in s3:\/\/service-/),
      });
    });

    it("refuse a missing object, a missing bucket, wrong credentials and a secret, in one line each", async () => {
      await createService();
      const refused = async (from: string, message: RegExp, env: Readonly<Record<string, string>> = {}) => {
        for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
        const { status, stderr, stdout } = await sources("add", "shop", from);
        vi.unstubAllEnvs();
        expect([status, stdout]).toEqual([2, ""]);
        expect(stderr).toMatch(message);
        expect(stderr.trim().split("\n")).toHaveLength(1);
        expect(stderr).not.toContain("hush");
      };
      const at = (path: string) => url.replace("?", `/${path}?`);
      await refused(at("none.csv"), /No object found: s3:\/\/service-\d+\/none\.csv; name an object/);
      await refused(url.replace("service-", "missing-").replace("?", "/a.csv?"), /Unknown bucket: missing-/);
      await refused(
        "s3://key:hush@bucket/a.csv",
        /Invalid address of objects: it has credentials, which are not stored/,
      );
      await refused(await writeNumbers(1), /Access to s3:\/\/service-\d+ at \S+ denied: /, {
        AWS_SECRET_ACCESS_KEY: "hush",
      });
      await storage.put(`service-${buckets}`, "sources/index.json", '{"format":1,"sour');
      await refused(await writeNumbers(1), /Invalid index of data sources in s3:\/\/service-\d+: sources\/index\.json/);
      await expect(start()).rejects.toThrow(/^Invalid index of data sources in s3:/);
    });
  });

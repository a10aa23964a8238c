import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { apiKey, createTestClient, eventually, type TestServer, type TestServerOptions } from "../fixture.ts";
import { upload } from "../uploads/fixture.ts";
import { type SharedServer, type SharedStorage, startShared } from "./servers.ts";

/** Case about several servers on one storage. */
export interface SharedCase {
  readonly name: string;
  run(storage: SharedStorage): Promise<void>;
}

/** Starts two runs on two servers that execute one run each. Returns each server with its run. */
async function heldPair(one: SharedServer, other: SharedServer) {
  const runs = [
    await one.create({ sql: "select 'first held' as v" }),
    await one.create({ sql: "select 'second held' as v" }),
  ];
  await eventually(() => one.gate.waiting === 1 && other.gate.waiting === 1);
  const idOf = (server: SharedServer): string => {
    const word = server.begun.at(-1)?.includes("first") ? 0 : 1;
    return runs[word]?.queryRun.id ?? "";
  };
  return { ofOne: idOf(one), ofOther: idOf(other) };
}

/** Starts three servers on a storage. They are closed together. */
async function startThree(storage: SharedStorage, options: TestServerOptions) {
  const closing = new AsyncDisposableStack();
  const start = async (): Promise<SharedServer> => closing.use(await startShared(storage, options));
  return {
    servers: [await start(), await start(), await start()] as const,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Returns the number of statements that wait at the gates of all servers. */
const held = (servers: readonly SharedServer[]): number => servers.reduce((sum, { gate }) => sum + gate.waiting, 0);

/** Time limit of a case, in milliseconds. */
export const sharedCaseMs = 40_000;

const oneEach = { limits: { maxRunningRuns: 1 } };

async function statusOf({ url }: TestServer, key: string): Promise<number> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });
  return (await fetch(`${url}/json-rpc`, { method: "POST", headers, body })).status;
}

/** Cases that a service must pass on each storage that servers share. Each ends within {@link sharedCaseMs}. */
export const sharedCases: readonly SharedCase[] = [
  {
    name: "executes a run of a busy server on an idle one, whose pages and links every server serves",
    async run(storage) {
      await using one = await startShared(storage, oneEach);
      await using other = await startShared(storage, oneEach);
      const { ofOne, ofOther } = await heldPair(one, other);
      one.gate.open();
      other.gate.open();
      for (const id of [ofOne, ofOther]) expect((await one.get(id, 30)).state).toBe("QUERY_STATE_SUCCESS");
      for (const server of [one, other])
        for (const id of [ofOne, ofOther])
          expect((await server.results({ queryRunId: id })).rows?.flat()).toEqual([expect.stringMatching(/ held$/)]);
      const download = await one.call<{ url: string }>("getQueryRunDownload", { queryRunId: ofOne, format: "csv" });
      const response = await fetch(download.url.replace(one.url, other.url));
      expect([response.status, (await response.text()).includes("held")]).toEqual([200, true]);
    },
  },
  {
    name: "reads an upload on each server, whichever has received it",
    async run(storage) {
      await using one = await startShared(storage, oneEach);
      await using other = await startShared(storage, oneEach);
      for (const [round, [receiver, creator]] of [[one, other] as const, [other, one] as const].entries()) {
        // Only the other server has a free place.
        const held = await creator.create({ sql: "select 'held' as v" });
        await eventually(() => one.gate.waiting + other.gate.waiting === round + 1);
        const uploads = { t: await upload(receiver, "csv", "n\n1\n2\n") };
        expect(await creator.rows("select sum(n)::int from t", { uploads })).toEqual([[3]]);
        await expect(receiver.run("from t", { uploads })).rejects.toMatchObject({ code: -32179 });
        await receiver.call("cancelQueryRun", { queryRunId: held.queryRun.id });
        // An aborted statement stays among those that have come to its gate.
        await eventually(() => one.aborted.length + other.aborted.length === round + 1);
      }
    },
  },
  {
    name: "stops a run on the server that executes it when another server cancels it",
    async run(storage) {
      await using one = await startShared(storage, oneEach);
      await using other = await startShared(storage, oneEach);
      const { ofOne } = await heldPair(one, other);
      await other.call("cancelQueryRun", { queryRunId: ofOne });
      await eventually(() => one.aborted.length === 1);
      expect(one.aborted[0]?.[1]).toBe("canceled");
      expect(other.aborted).toEqual([]);
      other.gate.open();
    },
  },
  {
    name: "answers a long poll on one server when the run ends on another one",
    async run(storage) {
      await using one = await startShared(storage, oneEach);
      await using other = await startShared(storage, oneEach);
      const { ofOne } = await heldPair(one, other);
      // Without a notice or a poll of the store, the answer would come after the test has ended.
      const polled = other.get(ofOne, 50);
      await sleep(300);
      one.gate.open();
      expect((await polled).state).toBe("QUERY_STATE_SUCCESS");
      other.gate.open();
    },
  },
  {
    name: "counts the calls of a key on all servers together",
    async run(storage) {
      const limits = { requestsPerSecond: 0.01, requestBurst: 4 };
      await using three = await startThree(storage, { limits });
      const statuses: number[] = [];
      // Each server answers two calls, and would admit four if it counted its own.
      for (const server of [...three.servers, ...three.servers]) statuses.push(await statusOf(server, apiKey));
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    },
  },
  {
    name: "executes as many runs of a tenant at the same time as its limit allows, on three servers as on one",
    async run(storage) {
      const store = await storage.openStore();
      await store.tenants.set("tenant_first", { maxRunningRuns: 2 });
      await store.close();
      const options = { limits: { maxRunningRuns: 4 } };
      await using three = await startThree(storage, options);
      const [one] = three.servers;
      const runs = [];
      for (const server of [...three.servers, ...three.servers])
        runs.push(await server.create({ sql: `select 'held ${runs.length}' as v` }));
      await eventually(() => held(three.servers) === 2);
      await sleep(500); // each server has free places, and would claim another run
      expect(held(three.servers)).toBe(2);
      for (const { gate } of three.servers) gate.open();
      for (const { queryRun } of runs) expect((await one.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
    },
  },
  {
    name: "refuses a user on each server once the runs on one of them used the budget",
    async run(storage) {
      await using three = await startThree(storage, { limits: { monthlyExecSeconds: 1 } });
      const { servers } = three;
      const { queryRun } = await servers[0].create({ sql: "select 'held' as v" });
      await eventually(() => held(servers) === 1);
      // The other servers must know the usage of a run that they have not executed.
      const others = servers.filter(({ gate }) => gate.waiting === 0);
      expect(others).toHaveLength(2);
      // The server that executes it ends it, though nothing opens its gate.
      expect(await servers[0].get(queryRun.id, 30)).toMatchObject({ errorName: "BudgetExceeded" });
      for (const { gate } of servers) gate.open();
      for (const server of others) {
        const refused = (): Promise<boolean> =>
          server.create({ sql: "select 1" }).then(
            () => false,
            (error: { code: number }) => error.code === -32175,
          );
        // Calls that are not refused execute runs, and only a few may, because they use the budget, too.
        await vi.waitUntil(refused, { timeout: 10_000, interval: 1_000 });
      }
    },
  },
  {
    name: "gives a tenant on all servers as many inspections at the same time as on one",
    async run(storage) {
      await using three = await startThree(storage, oneEach);
      const [one, other, third] = three.servers;
      const first = one.call("describeQuery", { sql: "select 'held' as v" });
      await eventually(() => one.gate.waiting === 1);
      const later = [other, third].map((server) => server.call("describeQuery", { sql: "select 2 as v" }));
      await sleep(500);
      expect([...other.begun, ...third.begun]).toEqual([]);
      one.gate.open();
      await Promise.all([first, ...later]);
      for (const { begun } of [other, third]) expect(begun).toEqual(["select 2 as v"]);
    },
  },
  {
    name: "answers calls with one idempotency key on several servers with one run",
    async run(storage) {
      await using three = await startThree(storage, {});
      const call = { sql: "select 5", idempotencyKey: "once" };
      const created = await Promise.all([...three.servers, ...three.servers].map((server) => server.create(call)));
      expect(new Set(created.map(({ queryRun }) => queryRun.id)).size).toBe(1);
    },
  },
  {
    name: "accepts the configured keys of all servers, and reports that there are several",
    async run(storage) {
      await using one = await startShared(storage, { apiKey: "key of one" });
      await using other = await startShared(storage, { apiKey: "key of other" });
      for (const server of [one, other])
        for (const key of ["key of one", "key of other"]) expect(await statusOf(server, key)).toBe(200);
      expect(one.logged).toEqual([]);
      expect(other.logged).toEqual([
        expect.stringMatching(
          /^another configured key is valid, too: Error: The key key_\w+, .* quern keys revoke key_\w+$/,
        ),
      ]);
    },
  },
  {
    name: "refuses a revoked key on each server within the time of the cache",
    async run(storage) {
      const options = { storeCacheSeconds: 1 };
      await using one = await startShared(storage, options);
      await using other = await startShared(storage, options);
      const store = await storage.openStore();
      for (const server of [one, other]) expect(await statusOf(server, apiKey)).toBe(200);
      const [key] = await store.keys.all();
      await store.keys.revoke(key?.id ?? "");
      for (const server of [one, other]) await eventually(async () => (await statusOf(server, apiKey)) === 401, 20_000);
      await store.close();
    },
  },
  {
    name: "reports the runs of the store on one of the servers only",
    async run(storage) {
      await using one = await startShared(storage, oneEach);
      await using other = await startShared(storage, oneEach);
      await heldPair(one, other);
      const texts = await Promise.all([one, other].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      const samples = texts.flatMap((text) => [...text.matchAll(/^quern_runs\{state="running"\} (\d+)$/gm)]);
      expect(samples.map(([, value]) => value)).toEqual(["2"]);
      expect(texts.map((text) => /^quern_leader (\d)$/m.exec(text)?.[1]).sort()).toEqual(["0", "1"]);
      for (const { gate } of [one, other]) gate.open();
    },
  },
  {
    name: "continues without a server that closes: another one leads, and executes its runs",
    async run(storage) {
      await using other = await startShared(storage, oneEach);
      const one = await startShared(storage, oneEach);
      const { ofOne } = await heldPair(one, other);
      await one[Symbol.asyncDispose]();
      other.gate.open();
      const client = createTestClient(other.url);
      expect((await client.get(ofOne, 50)).state).toBe("QUERY_STATE_SUCCESS");
    },
  },
];

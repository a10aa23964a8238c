import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { RunNotice, Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseAddress } from "../../src/store/address.ts";
import { openDatabase } from "../../src/store/database.ts";
import { reclaim } from "../../src/store/lost-runs.ts";
import { describeOnPostgres, execute, openStore } from "./fixture.ts";

const lease = { owner: "server", ms: 60_000 };
/** Longest wait for what happens soon; a test that passes does not wait for it. */
const timeout = 60_000;

await describeOnPostgres("a store whose connections or servers fail", (server) => {
  let url: string;
  const opened: Store[] = [];
  const processes: ChildProcess[] = [];
  beforeEach(async () => {
    url = await server.createDatabase();
  });
  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill("SIGKILL");
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });

  async function open(options: Parameters<typeof openStore>[1] = {}): Promise<Store> {
    const store = await openStore(url, options);
    opened.push(store);
    return store;
  }

  /** Collects the notices of a store, as `state run`. */
  function noticesOf(store: Store): string[] {
    const notices: string[] = [];
    store.subscribe(({ runId, state }: RunNotice) => notices.push(`${state} ${runId}`));
    return notices;
  }

  /** Ends the connections for notifications of this database. Returns their number. */
  async function endListeners(): Promise<number> {
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND (query LIKE '%LISTEN quern' OR query LIKE '%pg_notify%')`;
    return (await execute(url, `${text} AND pid <> pg_backend_pid()`)).length;
  }

  it("claims the run of a killed server after its lease, and not before", async () => {
    const store = await open();
    const { run } = accepted(await store.runs.submit(submission()));
    const child = spawn(process.execPath, [new URL("./claiming-process.ts", import.meta.url).pathname, url, "1500"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    processes.push(child);
    const [printed] = await once(child.stdout, "data");
    expect(String(printed).trim()).toBe(run.id);
    // The process renews its lease for longer than a lease.
    const until = Date.now() + 2_500;
    while (Date.now() < until) expect(await store.runs.reclaim("its lease expired", [])).toEqual([]);
    expect(child.exitCode).toBe(null);
    child.kill("SIGKILL");
    await vi.waitUntil(async () => (await store.runs.reclaim("its lease expired", [])).length === 1, { timeout });
    const claimed = await store.runs.claim(lease);
    expect(claimed?.run).toMatchObject({ id: run.id, attempt: 2, lostWorkers: 1 });
  });

  it("gives each lost run to one of several servers that reclaim", async () => {
    const stores = [await open(), await open(), await open()];
    for (let n = 0; n < 20; n += 1) await stores[n % 3]?.runs.submit(submission({ tenantId: `t${n}` }));
    for (let n = 0; n < 20; n += 1) await stores[n % 3]?.runs.claim({ owner: "dead", ms: -1 });
    const reclaimed = (await Promise.all(stores.map(({ runs }) => runs.reclaim("lost", [])))).flat();
    expect(new Set(reclaimed.map(({ run }) => run.id)).size).toBe(20);
    expect(reclaimed).toHaveLength(20);
  });

  it("waits after a connection, and after a start of PostgreSQL, before it reclaims runs", async () => {
    const store = await open();
    await store.runs.submit(submission());
    await store.runs.claim({ ...lease, ms: -1 });
    // Longer than PostgreSQL has been up.
    const database = openDatabase({ address: parseAddress(url), maxConnections: 1, onError: () => {} });
    const since = { reason: "lost", working: [], maxLostServers: undefined, delayMs: 3_600_000 };
    expect(await database.transaction((queries) => reclaim(queries, () => {}, since))).toEqual([]);
    await database.close();
    // Longer than this store has been connected.
    const patient = await open({ reclaimDelayMs: 3_600_000 });
    expect(await patient.runs.reclaim("lost", [])).toEqual([]);
    const [up] = await execute(
      url,
      "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000 AS ms",
    );
    const soon = await open({ reclaimDelayMs: 500 });
    expect(Number(up?.ms)).toBeGreaterThan(500);
    await soon.now();
    expect(await soon.runs.reclaim("lost", [])).toEqual([]);
    await vi.waitUntil(async () => (await soon.runs.reclaim("lost", [])).length === 1, { timeout });
  });

  it("stays connected when PostgreSQL stops a call that takes too long", async () => {
    const database = openDatabase({ address: parseAddress(url), maxConnections: 1, onError: () => {} });
    await database.rowsOnce("SET statement_timeout = '50ms'", []);
    await expect(database.rowsOnce("SELECT pg_sleep(60)", [])).rejects.toMatchObject({ name: "UnavailableError" });
    expect(database.connectedMs()).toBeGreaterThan(0);
    await database.close();
  });

  it("renews leases and claims runs while slow calls have all other connections", async () => {
    const store = await open({ maxConnections: 2 });
    const { run } = accepted(await store.runs.submit(submission()));
    await store.runs.claim(lease);
    await store.runs.submit(submission());
    const blocker = execute(url, "BEGIN; LOCK TABLE quern.settings; SELECT pg_sleep(3); COMMIT");
    const locked =
      "SELECT 1 FROM pg_locks WHERE relation = 'quern.settings'::regclass AND mode = 'AccessExclusiveLock'";
    await expect.poll(() => execute(url, locked)).toHaveLength(1);
    let slowCalls = 3;
    const slow = Array.from({ length: slowCalls }, () =>
      store.settings.getOrCreate("x", "y").finally(() => {
        slowCalls -= 1;
      }),
    );
    expect(await store.runs.renew(lease, [run.id])).toEqual([run.id]);
    expect(await store.runs.claim(lease)).toBeDefined();
    expect(slowCalls).toBe(3);
    await Promise.all([blocker, ...slow]);
  });

  it("repeats a transaction that PostgreSQL ends because of a deadlock", async () => {
    await execute(
      url,
      "CREATE TABLE quern.counters (id int PRIMARY KEY, n int); INSERT INTO quern.counters VALUES (1, 0), (2, 0)",
    );
    const database = openDatabase({ address: parseAddress(url), maxConnections: 3, onError: () => {} });
    let tries = 0;
    let locks = 0;
    let haveBoth = (): void => {};
    const both = new Promise<void>((resolve) => {
      haveBoth = resolve;
    });
    const increment = (first: number, second: number) =>
      database.transaction(async (queries) => {
        tries += 1;
        await queries.rows("UPDATE counters SET n = n + 1 WHERE id = $1", first);
        locks += 1;
        if (locks === 2) haveBoth();
        await both;
        await queries.rows("UPDATE counters SET n = n + 1 WHERE id = $1", second);
      });
    await Promise.all([increment(1, 2), increment(2, 1)]);
    expect(tries).toBeGreaterThanOrEqual(3); // a second deadlock is possible
    expect(await execute(url, "SELECT n FROM quern.counters")).toEqual([{ n: 2 }, { n: 2 }]);
    await database.close();
  });

  describe("notices", () => {
    it("notifies the subscribers of other servers, each once", async () => {
      const [store, other] = [await open({ pollMs: 3_600_000 }), await open({ pollMs: 3_600_000 })];
      const [own, others] = [noticesOf(store), noticesOf(other)];
      const { run, request } = accepted(await store.runs.submit(submission()));
      await vi.waitUntil(() => others.length === 1, { timeout });
      await store.runs.claim(lease);
      await store.runs.apply(run.id, { type: "released", attempt: 1 });
      await vi.waitUntil(() => others.length === 2, { timeout });
      await other.runs.withdraw({ runId: run.id, requestId: request.id, userId: undefined });
      await vi.waitUntil(() => own.length === 3, { timeout });
      const states = ["QUERY_STATE_READY", "QUERY_STATE_READY", "QUERY_STATE_CANCELED"];
      expect(own).toEqual(states.map((state) => `${state} ${run.id}`));
      expect(others).toEqual(own);
    });

    it("finds changes whose notification was lost, by polls", async () => {
      const store = await open();
      const { run } = accepted(await store.runs.submit(submission()));
      const other = await open({ pollMs: 50 });
      const notices = noticesOf(other);
      await vi.waitUntil(() => notices.length === 1, { timeout });
      // As a server does that dies between its commit and its notification.
      await execute(
        url,
        "UPDATE quern.runs SET state = 'QUERY_STATE_CANCELED', version = version + 1, noticed_at = quern.real_ms() WHERE id = $1",
        [run.id],
      );
      await vi.waitUntil(() => notices.length === 2, { timeout });
      expect(notices).toEqual([`QUERY_STATE_READY ${run.id}`, `QUERY_STATE_CANCELED ${run.id}`]);
    });

    it("reports each loss of its connection", async () => {
      const failures: string[] = [];
      await open({ pollMs: 3_600_000, onError: (message) => failures.push(message) });
      for (let loss = 1; loss <= 3; loss += 1) {
        await vi.waitUntil(async () => (await endListeners()) === 1, { timeout });
        await vi.waitUntil(() => failures.length === loss, { timeout: 10_000 });
      }
    });

    it("listens again after its connection has ended", async () => {
      const failures: string[] = [];
      const options = { pollMs: 3_600_000, onError: (message: string) => failures.push(message) };
      const [store, other] = [await open(options), await open(options)];
      const notices = noticesOf(other);
      // A store may not listen yet when it is open.
      await vi.waitUntil(
        async () => {
          await endListeners();
          return failures.length > 1;
        },
        { timeout },
      );
      expect(failures[0]).toMatch(/^the connection to PostgreSQL at .* for notifications ended$/);
      // Notices are lost until both servers are connected again.
      await vi.waitUntil(
        async () => {
          await store.runs.submit(submission());
          return notices.length > 0;
        },
        { timeout },
      );
    });
  });

  it("throws a retryable error while PostgreSQL is away, and works again after it", async () => {
    const delayMs = 1_000;
    const store = await open({ reclaimDelayMs: delayMs });
    const { run } = accepted(await store.runs.submit(submission()));
    await store.runs.claim({ ...lease, ms: 60_000 });
    const notices = noticesOf(store);
    await server.postgres.stop();
    try {
      for (const call of [
        () => store.runs.submit(submission()),
        () => store.runs.claim(lease),
        () => store.runs.run(run.id),
        () => store.runs.renew(lease, [run.id]),
        () => store.runs.reclaim("lost", []),
        () => store.now(),
      ]) {
        const error: unknown = await call().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: "UnavailableError" });
        expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+ is unavailable/);
      }
    } finally {
      await server.postgres.start();
    }
    await vi.waitUntil(
      () =>
        store.now().then(
          () => true,
          () => false,
        ),
      { timeout },
    );
    expect(await store.runs.renew({ ...lease, ms: -1 }, [run.id])).toEqual([run.id]);
    expect(await store.runs.reclaim("lost", [])).toEqual([]); // other owners have not had the time to renew
    await vi.waitUntil(async () => (await store.runs.reclaim("lost", [])).length === 1, { timeout });
    await vi.waitUntil(() => notices.includes(`QUERY_STATE_READY ${run.id}`), { timeout });
    expect((await store.runs.claim(lease))?.run.attempt).toBe(2);
  });

  it("loses no acknowledged run when PostgreSQL is restarted under load", async () => {
    const stores = [await open(), await open()];
    const acknowledged: string[] = [];
    let refused = 0;
    let restarting = true;
    async function submitAll(store: Store | undefined): Promise<void> {
      while (restarting) {
        const outcome = await store?.runs.submit(submission()).catch((error: unknown) => {
          expect(error).toMatchObject({ name: "UnavailableError" });
          refused += 1;
        });
        if (outcome?.outcome === "accepted") acknowledged.push(outcome.run.id);
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const load = Promise.all(Array.from({ length: 8 }, (_, n) => submitAll(stores[n % 2])));
    for (let restart = 1; restart <= 2; restart += 1) {
      const before = acknowledged.length;
      await vi.waitUntil(() => acknowledged.length > before + 20, { timeout });
      await server.postgres.stop();
      await server.postgres.start();
    }
    const before = acknowledged.length;
    await vi.waitUntil(() => acknowledged.length > before + 20, { timeout });
    restarting = false;
    await load;
    expect(refused).toBeGreaterThan(0);
    const stored = await execute(url, "SELECT id FROM quern.runs WHERE id = ANY($1)", [acknowledged]);
    expect(stored).toHaveLength(acknowledged.length);
  });
});

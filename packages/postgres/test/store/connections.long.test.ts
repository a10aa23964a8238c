import { submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Address, parseAddress } from "../../src/store/address.ts";
import { createConnections, withoutTimeLimits } from "../../src/store/connections.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { describeOnPostgres, execute, openStore } from "./fixture.ts";

await describeOnPostgres("connections to PostgreSQL", (server) => {
  let url: string;
  beforeEach(async () => {
    url = await server.createDatabase();
  });

  afterEach(() => vi.useRealTimers());

  /** Creates a user for whom PostgreSQL accepts few connections. */
  async function limitedAddress(count: number): Promise<Address> {
    await execute(url, "DROP ROLE IF EXISTS limited");
    await execute(url, `CREATE ROLE limited LOGIN CONNECTION LIMIT ${count}`);
    return parseAddress(Object.assign(new URL(url), { username: "limited" }).href);
  }

  /** Opens the database as a user for whom PostgreSQL accepts few connections. */
  async function openLimited(
    count: number,
    onError: (message: string, error: unknown) => void = () => {},
  ): Promise<Database> {
    return openDatabase({ address: await limitedAddress(count), maxConnections: 10, onError });
  }

  it("serves all calls on the connections that are open when PostgreSQL refuses further ones", async () => {
    const failures: unknown[] = [];
    const database = await openLimited(2, (_, error) => failures.push(error));
    expect(await database.rows("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    const calls = Array.from({ length: 40 }, (_, n) => database.rows("SELECT $1::integer AS n, pg_sleep(0.02)", n));
    const urgent = database.urgent.rows("SELECT 1 AS n");
    expect((await Promise.all(calls)).flat().map(({ n }) => n)).toEqual(calls.map((_, n) => n));
    expect(await urgent).toEqual([{ n: 1 }]);
    // Once, not for each call: the log of a server that lacks connections would be full of it.
    expect(failures.map(String)).toEqual([
      expect.stringMatching(/refuses further connections, of which this server has \d; raise max_connections of Postg/),
    ]);
    expect(database.connectedMs()).toBeGreaterThan(0);
    await database.close();
  });

  it("throws a retryable error when PostgreSQL refuses all connections, and works again after it", async () => {
    const database = await openLimited(0);
    const calls = Array.from({ length: 12 }, () => database.rows("SELECT 1 AS n").catch((error: unknown) => error));
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ name: "UnavailableError" });
    await server.postgres.run("ALTER ROLE limited CONNECTION LIMIT 1");
    expect(await database.rows("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    await database.close();
  });

  it("lets a call that is refused a connection wait no longer than others", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const refused = Promise.withResolvers<void>();
    const address = await limitedAddress(2);
    const connections = createConnections({ address, maxConnections: 2, onError: () => refused.resolve() });
    /** Uses a connection until the test ends it. */
    function hold() {
      const begun = Promise.withResolvers<void>();
      const { resolve, reject, promise } = Promise.withResolvers<void>();
      const ended = connections.use(true, () => {
        begun.resolve();
        return promise;
      });
      return { begun: begun.promise, end: resolve, lose: reject, ended };
    }
    const first = hold();
    const second = hold();
    await Promise.all([first.begun, second.begun]);
    const failures: unknown[] = [];
    const call = connections.use(true, async () => {}).catch((error: unknown) => failures.push(error));
    const third = hold();

    // The call gets the permit of the connection that is lost. After the refusal it waits for the third one.
    await vi.advanceTimersByTimeAsync(8_000);
    await execute(url, "ALTER ROLE limited CONNECTION LIMIT 1");
    second.lose(Object.assign(new Error("lost"), { code: "ECONNRESET" }));
    await expect(second.ended).rejects.toThrow("lost");
    await refused.promise;
    // PostgreSQL may still count the lost connection.
    await execute(url, "ALTER ROLE limited CONNECTION LIMIT 3");
    await vi.advanceTimersByTimeAsync(1_000);
    await third.begun;
    expect(failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failures.map(String)).toEqual([
      "UnavailableError: No connection to the database was free for 10 seconds; try again later",
    ]);

    first.end();
    third.end();
    await Promise.all([first.ended, third.ended, call]);
    await connections.close();
  });

  it("compacts the database without a time limit", async () => {
    const store = await openStore(url);
    await store.runs.submit(submission());
    // Longer than other statements may wait for a lock.
    const blocker = execute(url, "BEGIN; LOCK TABLE quern.run_tags IN EXCLUSIVE MODE; SELECT pg_sleep(12); COMMIT");
    const locked = "SELECT 1 FROM pg_locks WHERE relation = 'quern.run_tags'::regclass AND mode = 'ExclusiveLock'";
    await expect.poll(() => execute(url, locked)).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const compacted = store.compact();
    const waiting = "SELECT 1 FROM pg_locks WHERE relation = 'quern.run_tags'::regclass AND NOT granted";
    while ((await execute(url, waiting)).length === 0);
    // Longer than other statements may stay without an answer.
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await compacted;
    await store.close();
    // Longer than other statements may execute.
    const limit = await withoutTimeLimits(parseAddress(url), (client) => client.query("SHOW statement_timeout"));
    expect(limit.rows).toEqual([{ statement_timeout: "0" }]);
    await blocker;
    const vacuumed = "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count > 0 ORDER BY relname";
    expect(await execute(url, vacuumed)).toContainEqual({ relname: "run_tags" });
  });
});

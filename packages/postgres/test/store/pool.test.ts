import { EventEmitter } from "node:events";
import type pg from "pg";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createConnections, withoutTimeLimits } from "../../src/store/connections.ts";
import { made } from "./fake-pg.ts";

vi.mock("pg", async () => ({ default: (await import("./fake-pg.ts")).fakePg }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address = { text: "PostgreSQL at db", config: { host: "db", user: "quern" } };
const options =
  "-c application_name=quern -c search_path=quern -c jit=off -c plan_cache_mode=force_generic_plan " +
  "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=10s";
const config = {
  host: "db",
  user: "quern",
  options,
  connectionTimeoutMillis: 5_000,
  query_timeout: 40_000,
  keepAlive: true,
  pipeline: true,
  types: { getTypeParser: expect.any(Function) },
};

/** Opens connections, with the releases of its clients, and its reports. */
function opened(maxConnections = 1) {
  const released: unknown[] = [];
  const reported: [string, unknown][] = [];
  const connections = createConnections({
    address,
    maxConnections,
    onError: (message, error) => reported.push([message, error]),
  });
  const pool = made.pools.at(-1);
  if (pool === undefined) throw new Error("no pool was made");
  const release = (broken: unknown) => void released.push(broken);
  const client = { release } as unknown as pg.PoolClient;
  return { connections, pool, client, released, reported };
}

const coded = (code: string) => Object.assign(new Error(code), { code });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

it("configures each connection, and waits for no answer without end", () => {
  const { pool, reported } = opened(3);
  expect(pool.config).toEqual({ ...config, max: 3, idleTimeoutMillis: 60_000 });
  const client = new EventEmitter();
  pool.emit("connect", client);
  client.emit("error", new Error("it ended")); // does not throw
  const ended = new Error("idle");
  pool.emit("error", ended);
  expect(reported).toEqual([["a connection to PostgreSQL at db ended", ended]]);
});

it("gives a connection back after each use, and closes one whose answer is still to come", async () => {
  const { connections, pool, client, released } = opened();
  pool.next.push(client, client, client);
  expect(await connections.use(false, async (used) => used === client)).toBe(true);
  for (const error of [coded("23505"), coded("57014")])
    expect(await failure(connections.use(true, () => Promise.reject(error)))).toBe(error);
  expect(released).toEqual([false, false, true]);
  expect(vi.getTimerCount()).toBe(0);
  await connections.close();
  expect(pool.isEnded).toBe(true);
});

it("keeps one of several connections for urgent work", async () => {
  const { connections, pool, client } = opened(2);
  pool.next.push(client, client, client);
  const begun: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const use = (name: string, isUrgent: boolean) =>
    connections.use(isUrgent, () => {
      begun.push(name);
      return ended;
    });
  const used = [use("list", false), use("second list", false), use("claim", true)];
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["list", "claim"]);
  end();
  await Promise.all(used);
  expect(begun).toEqual(["list", "claim", "second list"]);
});

it("fails all who wait if a connection cannot be made, and serves later callers", async () => {
  const { connections, pool, client, reported } = opened();
  const away = coded("ECONNREFUSED");
  pool.next.push(away, client);
  const failed = [connections.use(false, async () => 1), connections.use(false, async () => 2)];
  expect(await Promise.all(failed.map(failure))).toEqual([away, away]);
  expect(await connections.use(false, async () => 3)).toBe(3);
  expect(reported).toEqual([]);
});

it("fails a call at once if PostgreSQL has no connection for this server, and reports it once a minute", async () => {
  const { connections, pool, client, reported } = opened();
  const refused = async (): Promise<Error | undefined> => {
    const cause = coded("53300");
    pool.next.unshift(cause);
    const error = await failure(connections.use(false, async () => 1));
    expect(error?.cause).toBe(cause);
    await vi.advanceTimersByTimeAsync(0);
    return error;
  };
  const first = await refused();
  expect(first).toMatchObject({
    name: "UnavailableError",
    message:
      "PostgreSQL at db refuses further connections, of which this server has 0; raise max_connections of PostgreSQL, or lower the number of servers",
  });
  expect(reported).toEqual([["a connection was refused", first]]);
  await refused();
  await vi.advanceTimersByTimeAsync(59_999);
  await refused();
  expect(reported).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  await refused();
  expect(reported).toHaveLength(2);
  pool.next.push(client);
  expect(await connections.use(false, async () => 1)).toBe(1);
});

it("waits for an open connection if PostgreSQL refuses another one, and asks again after a second", async () => {
  const { connections, pool, client } = opened();
  pool.totalCount = 1;
  pool.next.push(coded("53300"), client);
  const used = connections.use(false, async () => 1);
  await vi.advanceTimersByTimeAsync(999);
  expect(pool.next).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await used).toBe(1);
  expect(pool.next).toHaveLength(0);
});

it("waits ten seconds at most, also if PostgreSQL refuses each time", async () => {
  const { connections, pool } = opened();
  pool.totalCount = 1;
  for (let refusals = 0; refusals < 20; refusals += 1) pool.next.push(coded("53300"));
  const ended = failure(connections.use(false, async () => 1));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await ended).toMatchObject({ name: "UnavailableError" });
  expect(pool.next).toHaveLength(9); // at the start, and after each second
});

it("performs work without time limits on a connection of its own, which it ends", async () => {
  const work = vi.fn(async () => 7);
  made.failures.push("end");
  expect(await withoutTimeLimits(address, work)).toBe(7);
  const client = made.clients.at(-1);
  expect(client?.config).toEqual({ ...config, query_timeout: 0 });
  expect(client?.emit("error", new Error("it ended"))).toBe(true);
  const limits = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";
  expect(client?.calls).toEqual(["connect", limits, "end"]);
  expect(work).toHaveBeenCalledExactlyOnceWith(client);
  const failed = withoutTimeLimits(address, () => Promise.reject(new Error("stopped")));
  await expect(failed).rejects.toThrow("stopped");
  expect(made.clients.at(-1)?.calls.at(-1)).toBe("end");
});

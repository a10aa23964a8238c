import type { RunNotice } from "@quern/adapter";
import type pg from "pg";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { prepareDatabase } from "../../src/store/prepare.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../src/store/store.ts";
import { made } from "./fake-pg.ts";

vi.mock("pg", async () => ({ default: (await import("./fake-pg.ts")).fakePg }));
vi.mock("../../src/store/prepare.ts", () => ({ prepareDatabase: vi.fn() }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = "postgres://quern@db/shop";

/** Opens a store on a database whose polls find nothing, with its failures and its connections. */
async function opened(options: Partial<PostgresStoreOptions> = {}) {
  const errors: [string, unknown][] = [];
  const polls: string[] = [];
  const failure: { error?: Error } = {};
  const query = async ({ text }: { readonly text: string }) => {
    polls.push(text);
    if (failure.error !== undefined) throw failure.error;
    return { rows: text.includes("real_ms") ? [{ now: "1" }] : [] };
  };
  made.spare = { query, release: () => {} } as unknown as pg.PoolClient;
  const opening = createPostgresStore({ url, onError: (message, error) => errors.push([message, error]), ...options });
  await vi.advanceTimersByTimeAsync(0);
  const [pool, client] = [made.pools.at(-1), made.clients.at(-1)];
  if (pool === undefined || client === undefined) throw new Error("no connections were made");
  return { store: await opening, pool, client, errors, polls, failure };
}

it("prepares the database, and opens up to ten connections by default", async () => {
  const { store, pool } = await opened({ password: "p", passwordPlace: "PGPASSWORD" });
  const address = { text: "PostgreSQL at db:5432/shop", config: expect.objectContaining({ password: "p" }) };
  expect(prepareDatabase).toHaveBeenCalledWith(address, "PGPASSWORD");
  expect([store.isShared, pool.config]).toEqual([true, expect.objectContaining({ max: 10 })]);
  await store.close();
  const other = await opened({ maxConnections: 3 });
  expect(other.pool.config).toMatchObject({ max: 3 });
  await other.store.close();
});

it("delivers the notices of other servers, and ignores texts that are none", async () => {
  const { store, client } = await opened();
  const notices: RunNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  for (const payload of [
    "other 3 QUERY_STATE_READY run a",
    "other 1.5 QUERY_STATE_READY run b",
    "other x QUERY_STATE_READY run c",
    "other 3 QUERY_STATE_RUNNING run d",
    "other 3 QUERY_STATE_UNKNOWN run e",
    "other 3 QUERY_STATE_READY",
    "other 3",
    "",
    "other 4 QUERY_STATE_FAILED run a",
    "other 4 QUERY_STATE_FAILED run a",
  ])
    client.emit("notification", { payload });
  expect(notices).toEqual([
    { runId: "run a", state: "QUERY_STATE_READY" },
    { runId: "run a", state: "QUERY_STATE_FAILED" },
  ]);
  await store.close();
});

it("polls, and checks its connection, every two seconds by default while there are subscribers", async () => {
  const { store, client, polls } = await opened();
  await vi.advanceTimersByTimeAsync(10_000);
  polls.splice(0);
  expect(client.sent).toEqual([]);
  const end = store.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  expect([client.sent.length, polls.length]).toEqual([1, 2]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(client.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([client.sent.length, polls.length]).toEqual([2, 4]);
  end();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(client.sent).toHaveLength(2);
  await store.close();
});

it("reports polls that fail, and a connection that is lost", async () => {
  const { store, client, errors, failure } = await opened({ pollMs: 10 });
  store.subscribe(() => {});
  failure.error = new Error("it failed");
  await vi.advanceTimersByTimeAsync(10);
  expect(errors.splice(0)).toEqual([["changes in PostgreSQL at db:5432/shop could not be read", failure.error]]);
  delete failure.error;
  const lost = new Error("lost");
  client.emit("error", lost);
  client.emit("end");
  await vi.advanceTimersByTimeAsync(0);
  expect(errors).toEqual([["the connection to PostgreSQL at db:5432/shop for notifications ended", lost]]);
  await store.close();
});

it("leaves no timer and no connection once it is closed", async () => {
  const { store, pool, client } = await opened();
  await store.close();
  expect([vi.getTimerCount(), pool.isEnded, client.calls.at(-1)]).toEqual([0, true, "end"]);
});

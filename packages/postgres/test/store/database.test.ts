import type pg from "pg";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { conflict, openDatabase, type Row } from "../../src/store/database.ts";
import { made } from "./fake-pg.ts";

vi.mock("pg", async () => ({ default: (await import("./fake-pg.ts")).fakePg }));

const coded = (code: string) => Object.assign(new Error(code), { code });
const address = { text: "PostgreSQL at db", config: {} };

/** Opens a database on one client, which fails the statements that `failing` returns an error for. */
function opened(failing: (text: string) => Error | undefined = () => undefined) {
  const sent: unknown[] = [];
  const reported: string[] = [];
  const database = openDatabase({ address, maxConnections: 1, onError: (message) => reported.push(message) });
  const pool = made.pools.at(-1);
  if (pool === undefined) throw new Error("no pool was made");
  const client = {
    async query(query: string | { readonly text: string }): Promise<{ readonly rows: readonly Row[] }> {
      sent.push(query);
      const text = typeof query === "string" ? query : query.text;
      const error = failing(text);
      if (error !== undefined) throw error;
      return { rows: [{ text }] };
    },
    release: () => {},
  };
  for (let count = 0; count < 9; count += 1) pool.next.push(client as unknown as pg.PoolClient);
  return { database, pool, sent, reported };
}

const texts = (sent: readonly unknown[]) =>
  sent.map((query) => (typeof query === "object" && query !== null && "text" in query ? query.text : query));

it("prepares a statement once under a name, and one whose text is rarely the same under none", async () => {
  const { database, sent } = opened();
  expect(await database.rows("a $1 $2", "\u0000", 1)).toEqual([{ text: "a $1 $2" }]);
  await database.urgent.rows("b");
  await database.rows("a $1 $2");
  expect(await database.rowsOnce("c $1", ["\u0000"])).toEqual([{ text: "c $1" }]);
  expect(sent).toEqual([
    { name: "quern_0", text: "a $1 $2", values: ["\u0001\u0002", 1] },
    { name: "quern_1", text: "b", values: [] },
    { name: "quern_0", text: "a $1 $2", values: [] },
    { text: "c $1", values: ["\u0001\u0002"] },
  ]);
});

it("commits a transaction once: at its end, with its last statement, or not at all", async () => {
  const { database, sent } = opened();
  expect(await database.transaction(async (queries) => (await queries.rows("a"))[0]?.text)).toBe("a");
  expect(texts(sent.splice(0))).toEqual(["BEGIN", "a", "COMMIT"]);
  const last = await database.transaction(({ lastRows }) => lastRows("b", 1));
  expect([last, texts(sent.splice(0))]).toEqual([[{ text: "b" }], ["BEGIN", "b", "COMMIT"]]);
  await database.transaction(async ({ rollback }) => rollback());
  expect(texts(sent)).toEqual(["BEGIN", "ROLLBACK"]);
});

it("rolls a transaction back that fails, unless its connection is broken", async () => {
  const errors = [new Error("x"), coded("23505"), coded("57014")];
  const rolledBack: boolean[] = [];
  for (const error of errors) {
    const { database, sent } = opened((text) => (text === "a" ? error : undefined));
    const failed = database.transaction(({ rows }) => rows("a"));
    await expect(failed).rejects.toSatisfy((thrown: Error) => thrown === error || thrown.cause === error);
    rolledBack.push(texts(sent).includes("ROLLBACK"));
  }
  expect(rolledBack).toEqual([true, true, false]);
});

it("fails a transaction whose begin or end fails", async () => {
  for (const part of ["BEGIN", "COMMIT"]) {
    const { database } = opened((text) => (text === part ? new Error(part) : undefined));
    await expect(database.transaction(async () => 1)).rejects.toThrow(part);
    if (part === "COMMIT") await expect(database.transaction(({ lastRows }) => lastRows("a"))).rejects.toThrow(part);
  }
});

it.each([
  ["40001", true],
  ["40P01", true],
  ["55P03", false],
])("repeats a transaction that failed with %s: %s", async (code, isRepeated) => {
  let fails = 2;
  const { database, sent } = opened((text) => (text === "a" && fails-- > 0 ? coded(code) : undefined));
  const outcome = await database.transaction(({ rows }) => rows("a")).catch((error: Error) => error.name);
  expect(outcome).toEqual(isRepeated ? [{ text: "a" }] : "UnavailableError");
  const attempt = ["BEGIN", "a", "ROLLBACK"];
  expect(texts(sent)).toEqual(isRepeated ? [...attempt, ...attempt, "BEGIN", "a", "COMMIT"] : ["BEGIN", "a"]);
});

it("makes up to 20 attempts for a record that others change", async () => {
  const { database } = opened();
  let attempts = 0;
  const conflicting = database.transaction(async () => {
    attempts += 1;
    throw conflict;
  });
  await expect(conflicting).rejects.toBe(conflict);
  expect(attempts).toBe(20);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("knows for how long the database has been reachable, and calls it unavailable during an outage", async () => {
  let failure: Error | undefined;
  const { database, pool, reported } = opened(() => failure);
  await vi.advanceTimersByTimeAsync(5);
  expect(database.connectedMs()).toBe(0);
  await database.rows("a");
  await vi.advanceTimersByTimeAsync(7);
  await database.rows("a");
  expect(database.connectedMs()).toBe(7);
  failure = coded("57014"); // one call was stopped
  await expect(database.rows("a")).rejects.toMatchObject({
    name: "UnavailableError",
    message: "PostgreSQL at db is unavailable; try again later",
    cause: failure,
  });
  expect(database.connectedMs()).toBe(7);
  pool.emit("error", coded("23505"));
  expect(database.connectedMs()).toBe(7);
  pool.emit("error", coded("57P01"));
  expect([database.connectedMs(), reported]).toEqual([0, Array(2).fill("a connection to PostgreSQL at db ended")]);
  failure = undefined;
  await database.rows("a");
  await vi.advanceTimersByTimeAsync(3);
  expect(database.connectedMs()).toBe(3);
  failure = coded("ECONNRESET");
  await expect(database.rows("a")).rejects.toThrow("is unavailable");
  expect(database.connectedMs()).toBe(0);
  failure = coded("42601");
  await expect(database.rows("a")).rejects.toBe(failure);
  await database.close();
  expect(pool.isEnded).toBe(true);
});

it("compacts the tables of runs, on a connection of its own", async () => {
  const { database } = opened();
  await database.vacuum();
  const client = made.clients.at(-1);
  expect(client?.calls.slice(2)).toEqual([
    "VACUUM runs, requests, statements, requested_runs, run_tags, idempotency_keys",
    "end",
  ]);
  const query = vi.spyOn(Object.getPrototypeOf(client), "query").mockRejectedValue(coded("ECONNRESET"));
  onTestFinished(() => query.mockRestore());
  await expect(database.vacuum()).rejects.toThrow("PostgreSQL at db is unavailable; try again later");
});

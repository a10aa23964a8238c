import { EventEmitter } from "node:events";
import type { Source } from "@quern/adapter";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addressFor, openSession } from "../../src/source/connection.ts";

const source: Source = {
  name: "shop",
  provider: "p",
  kind: "postgres",
  path: null,
  lowerCaseColumns: false,
  address: "postgres://reader@db.example.org/shop",
};
const identity = { pid: 7, started: "8", role: "reader", isPowerful: false, isMember: false, rights: [] };

let configs: pg.ClientConfig[];
let queries: string[];
let ends: number;
let destroyed: number;
/** Answers a connection or a query. */
let answer: (what: string) => Promise<object>;
beforeEach(() => {
  configs = [];
  queries = [];
  ends = 0;
  destroyed = 0;
  answer = async (what) => ({ rows: what.includes("pg_backend_pid") ? [identity] : [] });
  vi.spyOn(pg, "Client").mockImplementation(function client(config?: string | pg.ClientConfig) {
    if (typeof config === "object") configs.push(config);
    return {
      on: () => {},
      connect: () => answer("connect"),
      query: (text: string) => {
        queries.push(text);
        return answer(text);
      },
      end: () => {
        ends += 1;
        return Promise.reject(new Error("it is closed"));
      },
      connection: {
        stream: Object.assign(new EventEmitter(), {
          destroy() {
            destroyed += 1;
          },
        }),
      },
    } as unknown as pg.Client;
  });
});
afterEach(() => void vi.restoreAllMocks());

const open = (change: Partial<Source> = {}, userId = "ada", signal = new AbortController().signal) =>
  openSession({ ...source, ...change }, userId, async () => "pass", signal);
const asUser = { address: "postgres://quern_{user}@db.example.org/shop", runAs: "user" } as const;

describe("a session", () => {
  it("has the settings by which PostgreSQL writes values as the Parquet writer reads them, and only reads", async () => {
    const { id } = await open();
    expect(id).toEqual({ pid: 7, started: "8", userId: null });
    expect(configs[0]).toMatchObject({
      user: "reader",
      password: "pass",
      application_name: "quern",
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      host: "db.example.org",
      options: [
        "-c default_transaction_read_only=on",
        "-c standard_conforming_strings=on",
        "-c DateStyle=ISO,YMD",
        "-c IntervalStyle=postgres",
        "-c TimeZone=UTC",
        "-c bytea_output=hex",
        "-c extra_float_digits=1",
        "-c jit=off",
        "-c idle_in_transaction_session_timeout=60s",
        "-c lock_timeout=15s",
      ].join(" "),
    });
    expect(queries.slice(0, 2)).toEqual(["SET client_connection_check_interval = '2s'", "BEGIN READ ONLY"]);
    expect([queries.length, ends]).toEqual([3, 0]);
  });

  it("has the role of the user, whose id belongs to the id of its query", async () => {
    const { id, end } = await open(asUser);
    expect([id.userId, configs[0]?.user]).toEqual(["ada", "quern_ada"]);
    end();
    expect([ends, destroyed]).toEqual([1, 1]);
  });

  it("does without the check of the client, which PostgreSQL before 14 lacks", async () => {
    const others = answer;
    answer = (what) => (what.startsWith("SET") ? Promise.reject(new Error("unknown setting")) : others(what));
    expect((await open()).id.pid).toBe(7);
  });
});

describe("no session", () => {
  it.each<[string, Partial<Record<keyof typeof identity, unknown>> | undefined, Partial<Source>, object]>([
    [
      "is that of a role that can change the server",
      { isPowerful: true },
      {},
      {
        failure: {
          name: "AccessDenied",
          message: "The role reader of the data source shop can change the server; use a role that may only read.",
          data: { category: "DATA_SOURCE", engine: "postgres", retryable: false },
        },
      },
    ],
    [
      "is that of a role that can run programs of the server",
      { rights: ["pg_execute_server_program", "pg_write_server_files"] },
      {},
      {
        failure: {
          name: "AccessDenied",
          message:
            "The role reader of the data source shop has the rights of pg_execute_server_program, pg_write_server_files; revoke them, or use a role that may only read.",
        },
      },
    ],
    [
      "is that of a user whose role is a member of others",
      { isMember: true },
      asUser,
      { failure: { message: "The role reader of the data source shop is a member of other roles; revoke them." } },
    ],
    ["is one that PostgreSQL does not list", undefined, {}, { name: "EngineLostError" }],
  ])("%s", async (_, change, ofSource, error) => {
    answer = async () => ({ rows: change === undefined ? [] : [{ ...identity, ...change }] });
    await expect(open(ofSource)).rejects.toMatchObject(error);
    expect([ends, destroyed]).toEqual([1, 1]);
  });

  it("is left by a refused connection, or a query that fails", async () => {
    answer = () => Promise.reject(Object.assign(new Error("no"), { code: "28P01" }));
    await expect(open()).rejects.toMatchObject({ name: "EngineLostError" });
    expect([ends, queries.length]).toEqual([1, 0]);
    answer = (what) =>
      what === "BEGIN READ ONLY"
        ? Promise.reject(Object.assign(new pg.DatabaseError("no", 1, "error"), { code: "42601" }))
        : Promise.resolve({ rows: [] });
    await expect(open()).rejects.toMatchObject({ failure: { name: "SyntaxError" } });
    expect(ends).toBe(2);
  });

  it("is left by an abort, before the password is read and while PostgreSQL does not answer", async () => {
    await expect(open({}, "ada", AbortSignal.abort("before"))).rejects.toBe("before");
    expect(configs).toEqual([]);
    const controller = new AbortController();
    answer = () =>
      new Promise((_, reject) => controller.signal.addEventListener("abort", () => reject(new Error("closed"))));
    const opening = open({}, "ada", controller.signal);
    await vi.waitFor(() => expect(configs).toHaveLength(1));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort("left");
    await expect(opening).rejects.toBe("left");
    expect(ends).toBe(2); // at the abort, and after the error
  });

  it("is ended by an abort after it was opened", async () => {
    const controller = new AbortController();
    await open({}, "ada", controller.signal);
    controller.abort();
    expect(ends).toBe(0);
  });
});

it("accepts the role of a member for the source itself", async () => {
  answer = async () => ({ rows: [{ ...identity, isMember: true }] });
  expect((await open()).id.userId).toBeNull();
});

it.each([
  ["a".repeat(57), undefined],
  ["a".repeat(58), "The role has more than 63 bytes."],
])("the role of a user has up to 63 bytes: %s", (userId, message) => {
  const address = () => addressFor({ ...source, ...asUser }, userId).config.user;
  if (message === undefined) expect(address()).toBe(`quern_${userId}`);
  else expect(address).toThrow(message);
});

it.each([
  ["a".repeat(64), false],
  ["a".repeat(63), true],
  ["ada@example.org", true],
  ["a b", false],
  ["...", false],
])("the id %s can be that in the path of a password: %s", async (userId, isName) => {
  const opening = open({ password: { file: "/secrets/{user}" } }, userId);
  if (isName) expect((await opening).id.pid).toBe(7);
  else
    await expect(opening).rejects.toThrow("The id of the user cannot be the role of a user on the data source shop.");
});

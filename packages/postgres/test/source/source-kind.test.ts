import type { SecretPlace, Source, SourceKind, Statement } from "@quern/adapter";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { PasswordOf, Session } from "../../src/source/connection.ts";
import { type ScriptedSession, scriptedSession } from "./scripted-client.ts";

interface Opened {
  readonly source: Source;
  readonly userId: string;
  readonly password: string | undefined;
  readonly signal: AbortSignal;
}

let opened: Opened[];
let sessions: ScriptedSession[];
let fail: (sql: string) => Error | undefined;
vi.mock("../../src/source/connection.ts", async (load) => ({
  ...(await load<object>()),
  async openSession(source: Source, userId: string, passwordOf: PasswordOf, signal: AbortSignal): Promise<Session> {
    opened.push({ source, userId, password: await passwordOf(source, userId), signal });
    const scripted = scriptedSession(
      (text) => ({ columns: [["n", 20]], ...(fail(text) && { error: fail(text) as Error }) }),
      (sql, values) => {
        const error = fail(sql);
        if (error !== undefined) throw error;
        if (values.length > 0) scripted.sent.push(`with ${JSON.stringify(values)}`);
        return [];
      },
    );
    sessions.push(scripted);
    return scripted.session;
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { checkSource, createSourceKind } = await import("../../src/source/source-kind.ts");

const source: Source = {
  name: "shop",
  provider: "p",
  kind: "postgres",
  path: null,
  lowerCaseColumns: false,
  address: "postgres://reader@db/shop",
};
let places: SecretPlace[];
let kind: SourceKind;
beforeEach(() => {
  opened = [];
  sessions = [];
  places = [];
  fail = () => undefined;
  kind = createSourceKind({
    async secret(place) {
      places.push(place);
      return "pass";
    },
  });
});

const { signal } = new AbortController();
const data = { revision: "unknown", release: async () => {} };

function statementOn(change: Partial<Statement> = {}): Statement {
  const caller = { runId: "run", attempt: 1, tenantId: "t", userId: "ada", traceparent: undefined, parameters: null };
  const limits = { timeoutSeconds: 60, maxResultBytes: 1e9, maxResultRows: 1e6 };
  return { ...caller, limits, source, sql: "select n from t", data, ...change };
}

const ended = () => sessions.map(({ isEnded }) => isEnded);

it("knows no revision of the data, and holds none", async () => {
  expect(await kind.revision(source)).toBe("unknown");
  const held = await kind.hold(source);
  expect(held.revision).toBe("unknown");
  await held.release();
});

it("describes a statement that it does not run, and ends the connection", async () => {
  expect(await kind.describe(statementOn(), signal)).toEqual({
    columns: [{ name: "n", kind: "number", engineType: "bigint", storedType: "BIGINT" }],
    parameters: [],
  });
  await expect(kind.describe(statementOn({ sql: "delete from t" }), signal)).rejects.toMatchObject({
    failure: { name: "StatementNotAllowed" },
  });
  expect(ended()).toEqual([true, true]);
});

it("lists tables on a connection that it ends, with the password of the source", async () => {
  const place = { variable: "PASSWORD" } as unknown as SecretPlace;
  expect(await kind.tables?.({ ...statementOn(), source: { ...source, password: place } }, signal)).toEqual([]);
  expect(opened.map(({ userId, password }) => [userId, password])).toEqual([["ada", "pass"]]);
  expect([places, ended()]).toEqual([[place], [true]]);
  await kind.tables?.(statementOn(), signal);
  expect(opened[1]?.password).toBeUndefined();
});

describe("a statement", () => {
  it("has a connection of its own until its release", async () => {
    const execution = await kind.begin(statementOn(), signal);
    expect([execution.engineQueryId, ended()]).toEqual(["7/8", [false]]);
    sessions[0]?.copy.end();
    const result = await execution.result();
    if (result.form === "encoded") for await (const part of result.parts) for await (const _ of part);
    await execution.release();
    expect(ended()).toEqual([true]);
  });

  it("that cannot begin leaves no connection", async () => {
    fail = () => Object.assign(new Error("lost"), { code: "ECONNRESET" });
    await expect(kind.begin(statementOn(), signal)).rejects.toMatchObject({ name: "EngineLostError" });
    const controller = new AbortController();
    fail = () => {
      controller.abort("left");
      return new Error("closed");
    };
    await expect(kind.begin(statementOn(), controller.signal)).rejects.toBe("left");
    expect(ended()).toEqual([true, true]);
  });

  it("that is released before its end is ended from another connection, by its process and start", async () => {
    const timeouts = vi.spyOn(AbortSignal, "timeout");
    const execution = await kind.begin(statementOn(), signal);
    await execution.release();
    await vi.waitFor(() => expect(ended()).toEqual([true, true]));
    expect(sessions[1]?.sent[0]).toMatch(
      /^SELECT pg_terminate_backend\(pid\) FROM pg_stat_activity\s+WHERE pid = \$1 AND /,
    );
    expect(sessions[1]?.sent[1]).toBe('with [7,"8"]');
    expect(opened[1]?.userId).toBe("");
    expect(timeouts.mock.calls).toEqual([[10_000]]);
    timeouts.mockRestore();
  });
});

describe("a cancellation", () => {
  it("uses the role of the user who runs the query", async () => {
    await kind.cancel(source, "9/10/a%40b");
    expect([opened[0]?.userId, sessions[0]?.sent[1]]).toEqual(["a@b", 'with [9,"10"]']);
    expect(ended()).toEqual([true]);
  });

  it("of another id does nothing", async () => {
    await kind.cancel(source, "odd");
    expect(opened).toEqual([]);
  });

  it("that fails is reported, without a connection that is left", async () => {
    fail = () => Object.assign(new Error("lost"), { code: "ECONNRESET" });
    await expect(kind.cancel(source, "9/10")).rejects.toMatchObject({ name: "EngineLostError" });
    expect(ended()).toEqual([true]);
  });

  it("that takes too long is reported like a lost connection", async () => {
    const timeouts = vi
      .spyOn(AbortSignal, "timeout")
      .mockReturnValue(AbortSignal.abort(new DOMException("", "TimeoutError")));
    fail = () => new Error("closed");
    await expect(kind.cancel(source, "9/10")).rejects.toThrow("PostgreSQL did not cancel the query in time.");
    timeouts.mockRestore();
  });
});

it("ends a connection with the abort of its caller, whose reason it throws", async () => {
  const controller = new AbortController();
  fail = () => {
    controller.abort("left");
    return new Error("closed");
  };
  await expect(kind.tables?.(statementOn(), controller.signal)).rejects.toBe("left");
  expect(ended()).toEqual([true]);
});

it("checks the role of a source, and not those of users, on a connection that it ends", async () => {
  await kind.checkRole?.(source, signal);
  await kind.checkRole?.({ ...source, address: "postgres://quern_{user}@db/shop", runAs: "user" }, signal);
  expect([opened.length, ended()]).toEqual([1, [true]]);
});

it("ends all connections when it is closed", async () => {
  await kind.begin(statementOn(), signal);
  await kind.begin(statementOn(), signal);
  expect(ended()).toEqual([false, false]);
  await kind.close();
  expect(ended()).toEqual([true, true]);
});

describe("the configuration of a source", () => {
  it("has an address", () => {
    const { address: _, ...without } = source;
    const message = "Missing address of the data source shop; write it as postgres://user@host:5432/database.";
    expect(() => checkSource(without)).toThrow(message);
  });

  const address = (user: string) => `postgres://${user}db/shop`;

  it.each<[Partial<Source>, string]>([
    [
      { address: address("reader@"), runAs: "user" },
      "Invalid address of the data source shop: its statements run as the user of the call; write {user} where its role",
    ],
    [
      { address: `${address("reader@")}?application_name={user}`, runAs: "user" },
      "Invalid address of the data source shop: its statements run as the user of the call; write {user} where its role",
    ],
    [
      { address: address("quern_{user}@") },
      "Invalid address of the data source shop: it has {user}, which needs --run-as",
    ],
    [{ address: address(""), runAs: "fixed" }, "Missing user in the address of the data source shop"],
  ])("%j is refused", (change, message) => expect(() => checkSource({ ...source, ...change })).toThrow(message));

  it.each<Partial<Source>>([
    { address: address("reader@") },
    { address: address("reader@"), runAs: "fixed" },
    { address: address("quern_{user}@"), runAs: "user" },
  ])("%j is accepted", (change) => expect(() => checkSource({ ...source, ...change })).not.toThrow());
});

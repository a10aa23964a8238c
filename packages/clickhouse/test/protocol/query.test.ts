import { EngineLostError, StatementError } from "@quern/adapter";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { failure } from "../../src/failure.ts";
import type { Connection, Request, Response } from "../../src/protocol/connection.ts";
import { querySettings } from "../../src/session.ts";
import { never } from "../fixture.ts";

/** Waits before the requests for the progress. Each ends when the test calls it. */
const waits: { readonly ms: number; readonly end: () => void }[] = [];
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number, _: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      waits.push({ ms, end: resolve });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { cancelQuery, rowsOf, startQuery } = await import("../../src/protocol/query.ts");

beforeEach(() => void waits.splice(0));

async function* each<T>(...items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
const rows = (...pages: readonly unknown[]): Response => ({
  columns: [{ name: "n", type: "Int8" }],
  arrays: each(...pages.map((page) => Buffer.from(JSON.stringify(page)))),
  rowCount: () => pages.length,
});

const request = { sql: "SELECT 1", settings: {}, queryId: "run_1-1" };

/** Connection whose query ends when the test says so, and whose other queries have these rows. */
function scripted(...shares: readonly unknown[]) {
  const answer = Promise.withResolvers<Response>();
  const left = [...shares];
  const sent: (Request & { readonly signal: AbortSignal })[] = [];
  const commands: Request[] = [];
  let refusal: Error | undefined;
  let isClosed = false;
  const connection: Connection = {
    database: undefined,
    reach: async () => {},
    async run(each, signal) {
      sent.push({ ...each, signal });
      if (each === request) return answer.promise;
      return rows([[left.shift()]]);
    },
    async command(each) {
      commands.push(each);
      if (refusal !== undefined) throw refusal;
    },
    async close() {
      isClosed = true;
    },
  };
  const refuse = (error: Error): void => {
    refusal = error;
  };
  return { connection, answer, sent, commands, refuse, isClosed: () => isClosed };
}

const kill = {
  sql: "KILL QUERY WHERE query_id = {id:String} SYNC",
  settings: { wait_end_of_query: 1, max_execution_time: 10 },
  parameters: { id: "run_1-1" },
};

describe("the progress", () => {
  it("is requested every two seconds, never falls and is at most 1, until the query ends", async () => {
    const { connection, answer, sent } = scripted(0.5, 0.25, "nan", 7);
    const query = startQuery(connection, request, never);
    expect(query.progress()).toBeNull();
    const seen: (number | null)[] = [];
    for (let index = 0; index < 4; index += 1) {
      await vi.waitFor(() => expect(waits).toHaveLength(index + 1));
      seen.push(query.progress());
      waits[index]?.end();
    }
    await vi.waitFor(() => expect(waits).toHaveLength(5));
    expect([...seen, query.progress()]).toEqual([null, 0.5, 0.5, 0.5, 1]);
    expect(waits.map(({ ms }) => ms)).toEqual(Array(5).fill(2_000));
    const [, { signal, ...asked } = {}] = sent;
    expect(asked).toEqual({
      sql: "SELECT read_rows / total_rows_approx FROM system.processes WHERE query_id = {id:String} AND total_rows_approx > 0",
      settings: querySettings(10),
      parameters: { id: "run_1-1" },
    });
    expect(signal?.aborted).toBe(false);
    answer.resolve(rows());
    await query.response;
    expect(sent[1]?.signal.aborted).toBe(true);
  });

  it("stays unknown if ClickHouse does not tell it", async () => {
    const { connection, sent } = scripted();
    const query = startQuery({ ...connection, run: () => Promise.reject(failure("X", "USER", "no")) }, request, never);
    await expect(query.response).rejects.toThrow("no");
    expect([query.progress(), sent.length]).toEqual([null, 0]);
  });
});

describe("the release", () => {
  it("kills a query that runs, ends its request and closes the connection", async () => {
    const { connection, sent, commands, isClosed } = scripted();
    const query = startQuery(connection, request, never);
    await query.release();
    expect(sent[0]?.signal.reason).toEqual(new EngineLostError("The query was released."));
    expect(commands).toEqual([kill]);
    expect(isClosed()).toBe(true);
  });

  it("kills no query that has ended", async () => {
    const ended = scripted();
    const query = startQuery(ended.connection, request, never);
    ended.answer.resolve(rows());
    await query.response;
    await query.release();
    expect([ended.commands, ended.isClosed()]).toEqual([[], true]);
    const failed = scripted();
    const other = startQuery(failed.connection, request, never);
    failed.answer.reject(failure("X", "USER", "no"));
    await expect(other.response).rejects.toThrow("no");
    await other.release();
    expect([failed.commands, failed.isClosed()]).toEqual([[], true]);
  });

  it("kills a query whose connection was lost", async () => {
    const { connection, answer, commands } = scripted();
    const query = startQuery(connection, request, never);
    answer.reject(new EngineLostError("lost"));
    await expect(query.response).rejects.toThrow("lost");
    await query.release();
    expect(commands).toEqual([kill]);
  });

  it("ignores that ClickHouse refuses or cannot be reached, but no defect", async () => {
    for (const error of [new EngineLostError("lost"), failure("X", "USER", "no")]) {
      const { connection, refuse } = scripted();
      refuse(error);
      await expect(startQuery(connection, request, never).release()).resolves.toBeUndefined();
    }
    const { connection, refuse, isClosed } = scripted();
    refuse(new RangeError("a defect"));
    await expect(startQuery(connection, request, never).release()).rejects.toThrow("a defect");
    expect(isClosed()).toBe(true);
  });
});

it("ends with the signal of its caller", () => {
  const { connection, sent } = scripted();
  const controller = new AbortController();
  startQuery(connection, request, controller.signal);
  controller.abort("left");
  expect(sent[0]?.signal.reason).toBe("left");
});

it("gives up the cancellation of a query after ten seconds, and reports a refusal", async () => {
  const timeout = new AbortController();
  const timeouts = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeout.signal);
  const { connection, refuse } = scripted();
  refuse(failure("X", "USER", "no"));
  await expect(cancelQuery(connection, "run_1-1")).rejects.toBeInstanceOf(StatementError);
  timeout.abort();
  const late = new EngineLostError("ClickHouse did not cancel the query in time.");
  await expect(cancelQuery(connection, "run_1-1")).rejects.toThrow(late);
  expect(timeouts.mock.calls).toEqual([[10_000], [10_000]]);
  timeouts.mockRestore();
});

it("returns the values of a query of its own as text", async () => {
  const run = async () => rows([[1, "a", null], "odd"], {}, [[2.5]]);
  const found = await rowsOf({ ...scripted().connection, run }, request, never);
  expect(found).toEqual([["1", "a", "null"], [], ["2.5"]]);
});

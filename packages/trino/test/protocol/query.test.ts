import { EngineLostError, StatementError } from "@quern/adapter";
import { describe, expect, it, vi } from "vitest";
import { parseAddress } from "../../src/address.ts";
import { failure } from "../../src/failure.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import { cancelQuery, startQuery } from "../../src/protocol/query.ts";
import { oneColumn } from "../coordinator.ts";
import { never, sourceAt } from "../fixture.ts";

const coordinator = "http://trino.example.org:8080";
type Request = Parameters<Connection["request"]>[0];

/** Connection that answers with pages in turn, and the requests. A number is the status of an answer without a page. */
function scripted(...pages: readonly (object | number | Error)[]) {
  const requests: Request[] = [];
  const left = [...pages];
  const connection: Connection = {
    address: parseAddress(sourceAt("trino://reader@trino.example.org:8080")),
    async request(request) {
      requests.push(request);
      const page = left.shift();
      if (page instanceof Error) throw page;
      if (typeof page === "number") return { status: page, body: Buffer.alloc(0) };
      return { status: 200, body: Buffer.from(JSON.stringify({ id: "q_1", ...page })) };
    },
  };
  return { connection, requests, of: () => requests.map(({ method, url }) => `${method} ${url}`) };
}

const start = (connection: Connection, signal = never) =>
  startQuery(connection, { sql: "SELECT 1", headers: { a: "b" } }, signal);
const next = (page: number) => ({ nextUri: `${coordinator}/${page}` });
const columns = oneColumn;
const finished = { stats: { state: "FINISHED" } };

it("posts the statement, and fetches the next page until the columns are known", async () => {
  const { connection, requests } = scripted(next(1), { ...next(2), columns }, finished);
  const query = await start(connection);
  expect(query.id).toBe("q_1");
  expect(requests.map(({ signal, ...request }) => request)).toEqual([
    { method: "POST", url: `${coordinator}/v1/statement`, body: "SELECT 1", headers: { a: "b" }, retryMs: 10_000 },
    { method: "GET", url: `${coordinator}/1`, headers: {}, retryMs: 30_000 },
  ]);
  expect(await query.columns()).toEqual(columns);
  expect(requests).toHaveLength(3);
});

it("fetches one page more before it answers, and none if the first page has the columns", async () => {
  const unknown = scripted(next(1), next(2), { ...next(3), columns, data: [[1]] });
  const query = await start(unknown.connection);
  expect(unknown.of()).toHaveLength(2);
  expect(await query.columns()).toEqual(columns);
  expect(unknown.of()).toHaveLength(3);
  const known = scripted({ ...next(1), columns });
  await start(known.connection);
  expect(known.of()).toHaveLength(1);
});

it("keeps the first columns, and yields the rows of each page", async () => {
  const { connection } = scripted(
    { ...next(1), columns, data: [[1]] },
    { ...next(2), columns: [] },
    { ...finished, data: [[2]] },
  );
  const query = await start(connection);
  const pages = await Array.fromAsync(query.data());
  expect(pages.map((page) => Buffer.from(page).toString())).toEqual(["[[1]]", "[[2]]"]);
  expect(await query.columns()).toEqual(columns);
});

it("accepts no compression of pages once their segments are compressed", async () => {
  const segments = { encoding: "json+zstd", segments: [] };
  const { connection, requests } = scripted(
    { ...next(1), columns },
    { ...next(2), data: [[1]] },
    { ...next(3), data: segments },
    next(4),
    { ...finished, data: segments },
  );
  await Array.fromAsync((await start(connection)).data());
  const accepted = requests.map(({ headers }) => headers?.["accept-encoding"]);
  expect(accepted).toEqual([undefined, undefined, undefined, "identity", "identity"]);
});

describe("the progress", () => {
  it("is null before it is known, never falls and ends at 1", async () => {
    const shares = [undefined, 40, 20, 250, "x"].map((progressPercentage) => ({ stats: { progressPercentage } }));
    const [first, ...others] = shares.map((stats, index) => ({ ...stats, ...next(index + 1), data: [[index]] }));
    const { connection } = scripted({ ...first, columns }, ...others, finished);
    const query = await start(connection);
    const seen: unknown[] = [];
    for await (const _ of query.data()) seen.push(query.progress());
    expect(seen).toEqual([null, 0.4, 0.4, 1, 1]);
  });

  it("of the first page counts", async () => {
    const { connection } = scripted({ ...next(1), columns, stats: { progressPercentage: 0 } });
    expect((await start(connection)).progress()).toBe(0);
  });
});

describe("a query that cannot be read", () => {
  it.each([
    ["an answer of another program", [{ id: 1 }], "did not answer as Trino"],
    ["an answer without columns", [next(1), finished], "did not answer as Trino"],
    ["the status 404", [{ ...next(1), columns }, 404], "Trino no longer has the query; it may have restarted."],
    ["the status 410", [{ ...next(1), columns }, 410], "Trino no longer has the query; it may have restarted."],
    ["a page of another program", [{ ...next(1), columns }, { id: 1 }], "Trino no longer has the query"],
    ["an end without the state FINISHED", [{ columns }], "Trino shut down before the query ended."],
    ["an end before the columns", [{}], "Trino shut down before the query ended."],
  ])("has %s", async (_, pages, message) => {
    const { connection } = scripted(...pages);
    await expect(start(connection).then((query) => query.columns())).rejects.toThrow(message);
  });

  it("is canceled if it fails at its start, unless it has ended", async () => {
    const error = { message: "m", errorName: "X", errorType: "USER_ERROR" };
    const lost = scripted(next(1), new EngineLostError("lost"), 204);
    await expect(start(lost.connection)).rejects.toThrow("lost");
    expect(lost.of().at(-1)).toBe(`DELETE ${coordinator}/1`);
    const failed = scripted({ ...next(1), error });
    await expect(start(failed.connection)).rejects.toThrow("m");
    expect(failed.of()).toHaveLength(1);
    const none = scripted({ ...next(1), columns, error: null });
    expect((await start(none.connection)).id).toBe("q_1");
  });
});

describe("the release of a query", () => {
  it("cancels its latest page, for ten seconds, and ends the requests in progress", async () => {
    const timeouts = vi.spyOn(AbortSignal, "timeout");
    const { connection, requests } = scripted({ ...next(1), columns }, 204);
    const query = await start(connection);
    expect(requests[0]?.signal.aborted).toBe(false);
    expect(query.signal).toBe(requests[0]?.signal);
    await query.release();
    expect(query.signal.reason).toEqual(new EngineLostError("The query was released."));
    const { signal, ...request } = requests[1] ?? {};
    expect(request).toEqual({ method: "DELETE", url: `${coordinator}/1`, retryMs: 10_000 });
    expect(signal?.aborted).toBe(false);
    expect(timeouts.mock.calls).toEqual([[10_000]]);
    timeouts.mockRestore();
  });

  it("does nothing after its end", async () => {
    const { connection, of } = scripted({ columns, ...finished });
    await (await start(connection)).release();
    expect(of()).toHaveLength(1);
  });

  it.each([new EngineLostError("lost"), failure("DataSourceRefused", "DATA_SOURCE", "no")])(
    "ignores %s, because Trino itself ends such a query",
    async (error) => {
      const { connection } = scripted({ ...next(1), columns }, error);
      await expect((await start(connection)).release()).resolves.toBeUndefined();
    },
  );

  it("ignores that Trino does not answer in time, which a cancellation by id reports", async () => {
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    const timeouts = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late);
    const { connection } = scripted({ ...next(1), columns }, late.reason, late.reason);
    await expect((await start(connection)).release()).resolves.toBeUndefined();
    await expect(cancelQuery(connection, "q_2")).rejects.toThrow("Trino did not cancel the query in time.");
    timeouts.mockRestore();
  });

  it("rejects with a defect", async () => {
    const { connection } = scripted({ ...next(1), columns }, new RangeError("a defect"));
    await expect((await start(connection)).release()).rejects.toThrow("a defect");
  });
});

it("ends with the signal of its caller", async () => {
  const { connection, requests } = scripted({ ...next(1), columns });
  const controller = new AbortController();
  await start(connection, controller.signal);
  controller.abort("left");
  expect(requests[0]?.signal.reason).toBe("left");
});

it("cancels a query by its id, and reports a refusal", async () => {
  const { connection, of } = scripted(404, failure("DataSourceRefused", "DATA_SOURCE", "no"));
  await cancelQuery(connection, "q_2");
  expect(of()).toEqual([`DELETE ${coordinator}/v1/query/q_2`]);
  await expect(cancelQuery(connection, "q_2")).rejects.toBeInstanceOf(StatementError);
});

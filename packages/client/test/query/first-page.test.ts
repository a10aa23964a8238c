import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { createServer } from "@quern/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ClientOptions,
  createClient,
  type Query,
  query,
  rowsOf,
  shareQuery,
  startQuery,
} from "../../src/index.ts";
import type { DetectingClient } from "../../src/wire/client.ts";
import { methodsOf, paramsOf, startService } from "../support/scripted-service.ts";

/** Creates a client that records the methods of each HTTP request. */
function recordingClient(options: ClientOptions) {
  const requests: string[] = [];
  const client = createClient({
    ...options,
    interceptors: [
      (request, next) => {
        requests.push(request.methods.join(" "));
        // On a busy machine, a statement may take longer than the second for which the client lets a create wait.
        return next({ ...request, body: request.body.replaceAll('"waitSeconds":1', '"waitSeconds":20') });
      },
    ],
  });
  return { client, requests };
}

describe("on a Quern service", () => {
  const apiKey = "a key of the tests";
  let dataDir: string;
  let server: Awaited<ReturnType<typeof createServer>>;
  let url: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "quern-first-page-"));
    server = await createServer({ dataDir, apiKey, limits: { maxPageBytes: 50_000 } });
    ({ url } = await server.listen());
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const connect = () => recordingClient({ url, apiKey });
  const exact = "select 9007199254740993 as big, 1 as a, 2 as a, 'é' as text";

  it.each(["csv", "json"] as const)("a short query takes one request; its rows in %s are exact", async (format) => {
    const { client, requests } = connect();
    const states: string[] = [];
    const result = await query(client, { sql: exact, format }, { onState: (state) => states.push(state) });
    expect(await Array.fromAsync(rowsOf(result))).toEqual([{ big: "9007199254740993", a: 1, a_2: 2, text: "é" }]);
    expect(result).toMatchObject({ rowCount: 1, first: { isLast: true }, queryRun: { state: "QUERY_STATE_SUCCESS" } });
    expect([requests, states]).toEqual([["createQueryRun"], ["QUERY_STATE_SUCCESS"]]);
  });

  it("further pages are fetched from the second page on", async () => {
    const { client, requests } = connect();
    const result = await query(client, { sql: "select range as n from range(1000)", pageSize: 400 });
    const rows = await Array.fromAsync(rowsOf(result));
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect(requests).toEqual(["createQueryRun", "getQueryRunResults", "getQueryRunResults"]);
  });

  it.each<[string, Partial<Query>]>([
    ["too large a page", { sql: "select repeat('x', 1000) as x from range(1000)" }],
    ["filters", { sql: "select 1 as n", filters: [{ column: "n", eq: 1 }] }],
    ["an order", { sql: "select 1 as n", sortBy: [{ column: "n", direction: "desc" }] }],
  ])("a query with %s fetches its page, and is not polled", async (_, request) => {
    const { client, requests } = connect();
    const result = await query(client, { sql: "", ...request });
    expect((await Array.fromAsync(rowsOf(result))).length).toBe(result.rowCount);
    expect(requests[1]).toBe("getQueryRunResults");
    expect(requests).not.toContain("getQueryRun");
  });

  it("a failed query takes one request", async () => {
    const { client, requests } = connect();
    await expect(query(client, { sql: "select error('no')" })).rejects.toMatchObject({ kind: "failed" });
    expect(requests).toEqual(["createQueryRun"]);
  });

  it("the queries of a page share one request, if their results exist already", async () => {
    const { client, requests } = connect();
    const panels = ["select 1 as n", "select 2 as n", "select 3 as n"].map((sql) => ({ sql, maxAgeMinutes: 60 }));
    await Promise.all(panels.map((panel) => query(client, panel)));
    requests.length = 0;
    const { signal } = new AbortController();
    const shared = panels.map((panel) => shareQuery(client, panel, { onChange: () => {} }));
    const results = await Promise.all(shared.map((one) => one.join(signal)));
    expect(results.map(({ first }) => first.rows)).toEqual([[[1]], [[2]], [[3]]]);
    expect(requests).toEqual(["createQueryRun createQueryRun createQueryRun"]);
  });

  it("startQuery waits only with waitSeconds", async () => {
    const { client, requests } = connect();
    await using waiting = await startQuery(client, { sql: "select 1" }, { waitSeconds: 20 });
    expect((await waiting.result()).first.rows).toEqual([[1]]);
    expect(requests).toEqual(["createQueryRun"]);
    await using _ = await startQuery(client, { sql: "select count(*) from range(1000000000) a, range(100000) b" });
    expect(requests).toEqual(["createQueryRun", "createQueryRun"]);
  });
});

it("a service that refuses the members is asked once without them, under the same key, and never again", async () => {
  await using server = await startService({ knows: ["parameters", "idempotencyKey"], polls: 1, echoesKeys: true });
  for (const sql of ["a", "b"]) expect((await query(server.client, { sql })).rowCount).toBe(3);
  const creates = paramsOf(server.exchanges, "createQueryRun");
  expect(creates.map(({ sql, results }) => [sql, results !== undefined])).toEqual([
    ["a", true],
    ["a", false],
    ["b", false],
  ]);
  expect(creates[1]?.idempotencyKey).toBe(creates[0]?.idempotencyKey);
});

it("a query that requests no page tells nothing about first pages, and an invalid size is the fault of its call", async () => {
  await using old = await startService({
    knows: ["parameters", "idempotencyKey", "waitSeconds", "filters"],
    polls: 0,
    echoesKeys: true,
  });
  await query(old.client, { sql: "a", filters: [{ column: "n", gt: 0 }] });
  expect((await query(old.client, { sql: "b" })).rowCount).toBe(3);

  await using server = await startService({ polls: 0, echoesKeys: true });
  await query(server.client, { sql: "a", pageSize: 1.5 }).catch(() => {});
  expect((server.client as DetectingClient).server.firstPage).not.toBe(false);
  await expect(startQuery(server.client, { sql: "a" }, { waitSeconds: 60 })).rejects.toThrow(
    new TypeError("Invalid waitSeconds: must be a number from 0 to 50, got 60."),
  );
});

it("a service without extensions is detected and remembered", async () => {
  await using server = await startService({ strict: true });
  for (const id of ["a", "b"]) {
    const result = await query(server.client, { sql: id, pageSize: 2 });
    expect(await Array.fromAsync(rowsOf(result))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(result.rowCount).toBe(null);
  }
  expect(methodsOf(server.exchanges)).toEqual([
    "createQueryRun",
    "createQueryRun",
    "createQueryRun",
    "getQueryRun",
    "getQueryRun",
    "getQueryRun",
    "getQueryRunResults",
    "getQueryRunResults",
    "createQueryRun",
    "getQueryRun",
    "getQueryRun",
    "getQueryRunResults",
    "getQueryRunResults",
  ]);
  expect((server.client as DetectingClient).server).toMatchObject({
    batch: true,
    firstPage: false,
    idempotency: false,
    longPoll: false,
  });
});

it("a service that ignores the members is polled, and its first page is fetched", async () => {
  await using server = await startService({ polls: 1 });
  for (const sql of ["a", "b"]) expect((await query(server.client, { sql })).first.rows).toEqual([[1], [2], [3]]);
  const each = ["createQueryRun", "getQueryRun", "getQueryRunResults"];
  expect(methodsOf(server.exchanges)).toEqual([...each, ...each]);
});

it("a first page that is no page is fetched", async () => {
  await using server = await startService({ polls: 0, results: { rows: "none" } });
  expect((await query(server.client, { sql: "a" })).first.rows).toEqual([[1], [2], [3]]);
});

it("on a mock whose clock stands still, a run is known before it ends", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("30s");
  const { client, requests } = recordingClient(mock);
  const states: string[] = [];
  const onState = (state: string) => {
    states.push(state);
    mock.clock.advance("30s");
  };
  await query(client, { sql: "select slow" }, { onState });
  expect(states.at(-1)).toBe("QUERY_STATE_SUCCESS");
  expect(states.length).toBeGreaterThan(1);
  expect(requests[0]).toBe("createQueryRun");
});

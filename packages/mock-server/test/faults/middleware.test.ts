import { describe, expect, it } from "vitest";
import { createMockServer, type Fault, type FaultyMethod } from "../../src/index.ts";
import { listen } from "../../src/listen.ts";
import { callerOf } from "../caller.ts";

const right = { jsonrpc: "2.0", id: 1, result: { queryRuns: [], nextCursor: null } };

async function answered(fault: Fault, method: FaultyMethod = "listQueryRuns"): Promise<Response> {
  const mock = createMockServer();
  mock.fault(method, fault);
  return callerOf(mock).send("listQueryRuns", {});
}

describe("an HTTP answer", () => {
  it.each<[Fault, number, string]>([
    [{ status: 502, body: "<html>" }, 502, "<html>"],
    [{ status: 502 }, 502, JSON.stringify(right)],
    [{ body: ")]}'{all}$&" }, 200, `)]}'${JSON.stringify(right)}$&`],
    [{ body: "" }, 200, ""],
    [{ status: 204 }, 204, ""],
  ])("under %j has the status %i and the body %s", async (fault, status, body) => {
    const response = await answered(fault);
    expect([response.status, await response.text()]).toEqual([status, body]);
  });

  it("has dates by the mock's clock", async () => {
    const mock = createMockServer();
    mock.clock.advance("365d");
    mock.fault("*", { status: 429, headers: { "retry-after": "{later}" } });
    const { headers } = await callerOf(mock).send("listQueryRuns", {});
    const later = Math.floor((mock.clock.now() + 3_600_000) / 1_000) * 1_000;
    expect(Date.parse(headers.get("retry-after") ?? "")).toBe(later);
  });

  it("is delayed by the mock's clock", async () => {
    const mock = createMockServer();
    mock.fault("*", { delay: "5s" });
    let isHere = false;
    const answer = callerOf(mock).send("listQueryRuns", {});
    void answer.then(() => {
      isHere = true;
    });
    await new Promise(setImmediate);
    expect(isHere).toBe(false);
    mock.clock.advance("5s");
    expect(await (await answer).json()).toEqual(right);
  });
});

describe("the reply to a call", () => {
  const { jsonrpc, id, result } = right;
  it.each<[Fault, unknown]>([
    [{ replyDefect: "other-id" }, { jsonrpc, id: 4711, result }],
    [{ replyDefect: "string-id" }, { jsonrpc, id: "1", result }],
    [{ replyDefect: "null-id" }, { jsonrpc, id: null, result }],
    [{ replyDefect: "missing-id" }, { jsonrpc, result }],
    [{ replyDefect: "missing-version" }, { id, result }],
    [{ replyDefect: "json-rpc-1.0" }, { id, result, error: null }],
    [{ replyDefect: "result-and-error" }, { ...right, error: { code: -32099, message: "no" } }],
    [{ replyDefect: "no-result-or-error" }, { jsonrpc, id }],
    [{ replyDefect: "extra-members" }, expect.objectContaining({ ...right, took: 3 })],
    [{ replyDefect: "duplicate-reply" }, [right, right]],
    [{ result: null }, { ...right, result: null }],
    [
      { override: { nextCursor: { a: 1 }, more: 2 } },
      { ...right, result: { ...result, nextCursor: { a: 1 }, more: 2 } },
    ],
    [{ error: { code: 7, message: "no", data: [] } }, { jsonrpc, id, error: { code: 7, message: "no", data: [] } }],
  ])("under %j", async (fault, reply) => {
    expect(await (await answered(fault)).json()).toEqual(reply);
  });

  it("is absent if it is missing", async () => {
    expect(await (await answered({ replyDefect: "missing-reply" })).text()).toBe("");
  });

  it("in a batch leaves the others as they are", async () => {
    const mock = createMockServer();
    mock.fault("listQueryRuns", { on: 2, replyDefect: "missing-reply" });
    mock.fault("listQueryRuns", { on: 3, error: { code: 7, message: "no" } });
    const replies = await callerOf(mock).sendAll("listQueryRuns", [{}, {}, {}]);
    expect(replies).toEqual([
      { ...right, id: 0 },
      { jsonrpc, id: 2, error: { code: 7, message: "no" } },
    ]);
  });
});

it("an override keeps the other members", async () => {
  const mock = createMockServer();
  const { call, create } = callerOf(mock);
  const queryRunId = await create("select 1");
  mock.fault("getQueryRun", { override: { queryRun: { state: "HIBERNATING" } } });
  expect((await call("getQueryRun", { queryRunId })).queryRun).toMatchObject({ id: queryRunId, state: "HIBERNATING" });
});

it("replies without a call stay in the batch", async () => {
  const mock = createMockServer();
  mock.fault("listQueryRuns", { replyDefect: "missing-reply" });
  const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
  const body = '[7,{"jsonrpc":"2.0","id":1,"method":"listQueryRuns","params":[{}]}]';
  const response = await mock.fetch(`${mock.url}/json-rpc`, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

describe("a call is performed", () => {
  it.each<[boolean, Fault]>([
    [true, { status: 502, body: "" }],
    [true, { connection: "reset" }],
    [false, { status: 503, body: "", performed: false }],
    [false, { error: { code: 7, message: "no" } }],
  ])("%j under %j", async (isPerformed, fault) => {
    const mock = createMockServer();
    mock.fault("createQueryRun", fault);
    const { send, call } = callerOf(mock);
    await send("createQueryRun", { sql: "select 1" }).catch(() => undefined);
    expect((await call("listQueryRuns", {})).queryRuns.length).toBe(Number(isPerformed));
  });
});

describe("over a socket and without one", () => {
  /** Returns the answer that arrives over a socket, and without one. */
  async function arrived(fault: Fault, init: () => RequestInit = () => ({})) {
    const mock = createMockServer();
    await using server = await listen(mock);
    const outcomes: unknown[] = [];
    for (const caller of [callerOf(mock), callerOf({ ...mock, fetch: globalThis.fetch, url: server.url })]) {
      mock.fault("*", fault);
      try {
        outcomes.push(await (await caller.send("listQueryRuns", {}, init())).json());
      } catch (error) {
        const { name, cause } = error as Error; // the type of rejections of `fetch`
        outcomes.push(`${name} ${(cause as NodeJS.ErrnoException | undefined)?.code ?? ""}`);
      }
    }
    return outcomes;
  }

  it.each<[Fault, unknown]>([
    [{ connection: "byte-by-byte" }, right],
    [{ connection: "close-mid-body" }, "TypeError UND_ERR_SOCKET"],
    [{ connection: "close" }, "TypeError UND_ERR_SOCKET"],
    [{ connection: "reset" }, "TypeError ECONNRESET"],
    [{ connection: "reset-mid-body" }, "TypeError ECONNRESET"],
  ])("%j", async (fault, outcome) => {
    expect(await arrived(fault)).toEqual([outcome, outcome]);
  });

  it.each<Fault>([{ connection: "hang" }, { connection: "stall-mid-body" }, { connection: "trickle" }])(
    "%j until the caller gives up",
    async (fault) => {
      const soon = () => ({ signal: AbortSignal.timeout(30) });
      expect(await arrived(fault, soon)).toEqual(["TimeoutError ", "TimeoutError "]);
    },
  );
});

describe("a notification", () => {
  it.each<Fault>([{ error: { code: 7, message: "no" } }, { performed: false }, { override: { nextCursor: "x" } }])(
    "is answered by nothing under %j",
    async (fault) => {
      const mock = createMockServer();
      mock.fault("listQueryRuns", fault);
      const body = JSON.stringify({ jsonrpc: "2.0", method: "listQueryRuns", params: [{}] });
      const response = await callerOf(mock).send("listQueryRuns", {}, { body });
      expect([response.status, await response.text()]).toEqual([204, ""]);
    },
  );
});

it("a delay ends with its namespace", async () => {
  const namespace = createMockServer().namespace();
  namespace.fault("listQueryRuns", { delay: "1h", times: 2 });
  const { send } = callerOf(namespace);
  const late = send("listQueryRuns", {});
  namespace.reset();
  expect((await late).status).toBe(200);
  namespace.fault("listQueryRuns", { delay: "1h" });
  const later = send("listQueryRuns", {});
  namespace.dispose();
  expect((await later).status).toBe(401);
});

it("the dates of a fault are an hour away, or two seconds", async () => {
  const mock = createMockServer({ clock: { startAt: Date.UTC(2026, 0, 1, 12) } });
  mock.fault("*", { headers: { "x-a": "{later} {earlier}", "x-b": "{soon}, {soon}", "x-c": "{now}" } });
  const { headers } = await callerOf(mock).send("listQueryRuns", {});
  expect(["x-a", "x-b", "x-c"].map((name) => headers.get(name))).toEqual([
    "Thu, 01 Jan 2026 13:00:00 GMT Thu, 01 Jan 2026 11:00:00 GMT",
    "Thu, 01 Jan 2026 12:00:02 GMT, Thu, 01 Jan 2026 12:00:02 GMT",
    "{now}",
  ]);
});

it("the longest of several delays counts, and the statuses without a body have none", async () => {
  const mock = createMockServer({ clock: { startAt: 0 } });
  mock.fault("*", { delay: 10 });
  mock.fault("*", { delay: 30, status: 304, body: "x" });
  let isHere = false;
  const answer = callerOf(mock).send("listQueryRuns", {});
  void answer.then(() => {
    isHere = true;
  });
  await new Promise(setImmediate);
  mock.clock.advance(29);
  await new Promise(setImmediate);
  expect(isHere).toBe(false);
  mock.clock.advance(1);
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([304, ""]);
});

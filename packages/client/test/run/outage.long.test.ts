import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ClientOptions,
  createClient,
  type Fetch,
  type Interceptor,
  query,
  resumeQuery,
  waitForRun,
} from "../../src/index.ts";
import { startServer, type WireCall } from "../support/scripted-server.ts";
import { service } from "../support/scripted-service.ts";

/** Service on loopback whose listener can be closed and opened again on the same port. */
async function startUnsteady(options: Parameters<typeof service>[0]) {
  const answers = service(options);
  const listener = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    const calls = [body].flat() as WireCall[]; // Our own client's requests.
    const isBatch = Array.isArray(body);
    const exchange = { path: "", headers: {}, calls, isBatch, abandoned: false, answered: false };
    response.end(JSON.stringify(answers(exchange).body));
  });
  await listen(listener, 0);
  const { port } = listener.address() as AddressInfo; // It listens on a port, not on a pipe.
  const close = () => {
    listener.closeAllConnections();
    return new Promise<void>((resolve) => listener.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    close,
    open: () => listen(listener, port),
    [Symbol.asyncDispose]: close,
  };
}

function listen(listener: Server, port: number): Promise<void> {
  return new Promise((resolve) => listener.listen(port, "127.0.0.1", resolve));
}

/** Counts the requests of a method that got no answer, and reports each. */
function countingFailures(method: string, onFailure: (count: number) => unknown): Interceptor {
  let count = 0;
  return async (request, next) => {
    try {
      return await next(request);
    } catch (error) {
      if (request.methods.includes(method)) {
        count += 1;
        await onFailure(count);
      }
      throw error;
    }
  };
}

/** Client with fake timers, whose `fetch` the test implements. */
function clientOn(answer: (method: string) => object | Error, options: Partial<ClientOptions> = {}) {
  const sent: string[] = [];
  const fetch: Fetch = async (_url, { body }) => {
    const call: WireCall = JSON.parse(body);
    sent.push(call.method);
    const reply = answer(call.method);
    if (reply instanceof Error) throw reply;
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...reply }));
  };
  return { client: createClient({ url: "http://quern.test", apiKey: "k", fetch, ...options }), sent };
}

const success = { result: { queryRun: { id: "a", state: "QUERY_STATE_SUCCESS" } } };

/** Stubs `navigator.onLine` of a browser and its events. */
function stubBrowser() {
  const events = new EventTarget();
  const navigator = { onLine: true };
  vi.stubGlobal("navigator", navigator);
  vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
  vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
  return {
    setOnline(isOnline: boolean) {
      navigator.onLine = isOnline;
      events.dispatchEvent(new Event(isOnline ? "online" : "offline"));
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a run whose service is unreachable", () => {
  it("is polled until the service is back, however many polls have failed", async () => {
    await using server = await startUnsteady({ polls: 3 });
    const isBack = countingFailures("getQueryRun", (count) => count === 7 && server.open());
    const client = createClient({ url: server.url, apiKey: "k", retries: 0, interceptors: [isBack] });
    const onState = (state: string) => state === "QUERY_STATE_READY" && server.close();
    const result = query(client, { sql: "a" }, { onState });
    await expect(result).resolves.toMatchObject({ queryRunId: "a", rowCount: 3 });
  });

  it("fails outageTimeoutMs after the last answer, with its run id", async () => {
    vi.useFakeTimers();
    const { client, sent } = clientOn(() => new Error("no route"));
    const ending = waitForRun(client, "run_1").catch((error: unknown) => error);
    const onSettled = vi.fn();
    void ending.then(onSettled);
    await vi.advanceTimersByTimeAsync(299_000);
    expect(onSettled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(15_000);
    await expect(ending).resolves.toMatchObject({
      kind: "network",
      queryRunId: "run_1",
      message: expect.stringMatching(/300000 ms; call resumeQuery\(client, "run_1"\)/),
    });
    expect(sent.length).toBeLessThan(300);
  });

  it("fails with the fault of the connection although the last poll timed out", async () => {
    vi.useFakeTimers();
    let polls = 0;
    const hangs: Fetch = (_url, { signal }) =>
      new Promise((_resolve, reject) => {
        polls += 1;
        if (polls === 1) reject(new Error("no route"));
        else signal?.addEventListener("abort", () => reject(signal.reason));
      });
    const client = createClient({ url: "http://host", apiKey: "k", retries: 0, outageTimeoutMs: 3_000, fetch: hangs });
    const ending = waitForRun(client, "run_1").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(ending).resolves.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/^getQueryRun: no answer: no route; failing for 3000 ms/),
    });
    expect(polls).toBeGreaterThan(1);
  });

  it("fails without the fault of an earlier outage", async () => {
    vi.useFakeTimers();
    let polls = 0;
    const running = { jsonrpc: "2.0", result: { queryRun: { id: "run_1", state: "QUERY_STATE_RUNNING" } } };
    const fetch: Fetch = async (_url, { body, signal }) => {
      polls += 1;
      if (polls === 1) throw new Error("no route");
      if (polls === 2) return new Response(JSON.stringify({ ...running, id: JSON.parse(body).id }));
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    };
    const client = createClient({ url: "http://host", apiKey: "k", retries: 0, outageTimeoutMs: 3_000, fetch });
    const ending = waitForRun(client, "run_1").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(40_000);
    await expect(ending).resolves.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/^(?!.*no route).*failing for 3000 ms/),
    });
    expect(polls).toBeGreaterThan(2);
  });

  it("restarts the time limit with each answer", async () => {
    vi.useFakeTimers();
    let isDown = true;
    const running = { result: { queryRun: { id: "a", state: "QUERY_STATE_RUNNING" } } };
    const { client } = clientOn(() => (isDown ? new Error("no route") : running), { outageTimeoutMs: 10_000 });
    const onSettled = vi.fn();
    void waitForRun(client, "a").catch(onSettled);
    for (let spell = 0; spell < 4; spell += 1) {
      isDown = true;
      await vi.advanceTimersByTimeAsync(6_000);
      isDown = false;
      await vi.advanceTimersByTimeAsync(6_000);
    }
    expect(onSettled).not.toHaveBeenCalled();
    isDown = true;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(onSettled).toHaveBeenCalledOnce();
  });

  it("fails by the virtual clock of `sleep`", async () => {
    let passedMs = 0;
    const sleep = async (ms: number) => {
      passedMs += ms;
    };
    const { client, sent } = clientOn(() => new Error("no route"), { sleep, retries: 0 });
    await expect(waitForRun(client, "a")).rejects.toMatchObject({ kind: "network" });
    expect(passedMs).toBeGreaterThanOrEqual(300_000);
    expect(sent.length).toBeLessThan(200);
  });

  it.each([
    ["HTTP 401", { status: 401, body: "" }, { kind: "http", status: 401 }],
    ["HTTP 403", { status: 403, body: "" }, { kind: "http", status: 403 }],
    ["a declared error", undefined, { kind: "rpc", code: -32099 }],
  ])("fails immediately with %s", async (_name, answer, ending) => {
    let polls = 0;
    await using server = await startServer(({ calls: [call] }) => {
      polls += 1;
      if (polls === 1) return { status: 502, body: "<html>" };
      return answer ?? { body: { id: call?.id, error: { code: -32099, message: "no such run", data: {} } } };
    });
    const client = createClient({ url: server.url, apiKey: "k", retries: 0 });
    await expect(waitForRun(client, "a")).rejects.toMatchObject(ending);
    expect(polls).toBe(2);
  });

  it("survives an outage while its pages are read", async () => {
    const rows = Array.from({ length: 6 }, (_, n) => [n]);
    await using server = await startUnsteady({ polls: 1, rows });
    const isBack = countingFailures("getQueryRunResults", (count) => count === 7 && server.open());
    const client = createClient({ url: server.url, apiKey: "k", retries: 0, interceptors: [isBack] });
    const result = await resumeQuery(client, "a", { pageSize: 2 });
    await server.close();
    const pages = await Array.fromAsync(result.pages(), (page) => page.rows);
    expect(pages.flat()).toEqual(rows);
  });
});

describe("a browser that is offline", () => {
  it("does not poll until it is online again, and then immediately", async () => {
    vi.useFakeTimers();
    const browser = stubBrowser();
    const online = { is: false };
    const { client, sent } = clientOn(() => (online.is ? success : new TypeError("Failed to fetch")));
    browser.setOnline(false);
    const waiting = waitForRun(client, "a");
    await vi.advanceTimersByTimeAsync(20_000);
    const before = sent.length;
    await vi.advanceTimersByTimeAsync(200_000);
    expect(sent.length).toBe(before);
    online.is = true;
    browser.setOnline(true);
    await vi.advanceTimersByTimeAsync(1000);
    await expect(waiting).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  });

  it("still reaches a service on the same machine", async () => {
    stubBrowser().setOnline(false);
    await using server = await startServer(service({ polls: 2 }));
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(waitForRun(client, "a")).resolves.toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  });

  it.each([
    ["an abort", {}, "aborted"],
    ["the deadline", { timeoutMs: 60_000 }, "timeout"],
  ])("fails immediately by %s", async (_name, deadline, kind) => {
    vi.useFakeTimers();
    stubBrowser().setOnline(false);
    const { client } = clientOn(() => new TypeError("Failed to fetch"));
    const controller = new AbortController();
    const ending = waitForRun(client, "a", { signal: controller.signal, ...deadline }).catch((error: unknown) => error);
    const onSettled = vi.fn();
    void ending.then(onSettled);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(onSettled).not.toHaveBeenCalled();
    if (kind === "aborted") controller.abort();
    await vi.advanceTimersByTimeAsync(1001);
    await expect(ending).resolves.toMatchObject({ kind, queryRunId: "a" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is polled for all runs in one request when it is online again", async () => {
    vi.useFakeTimers();
    const browser = stubBrowser();
    const online = { is: false };
    let requests = 0;
    const fetch: Fetch = async (_url, { body }) => {
      if (!online.is) throw new TypeError("Failed to fetch");
      requests += 1;
      const replies = [JSON.parse(body)].flat().map(({ id }) => ({ jsonrpc: "2.0", id, ...success }));
      return new Response(JSON.stringify(replies));
    };
    const client = createClient({ url: "http://quern.test", apiKey: "k", fetch });
    browser.setOnline(false);
    const waiting = Promise.all(Array.from({ length: 50 }, (_, run) => waitForRun(client, `${run}`)));
    await vi.advanceTimersByTimeAsync(30_000);
    online.is = true;
    browser.setOnline(true);
    await vi.advanceTimersByTimeAsync(1000);
    await waiting;
    expect(requests).toBe(1);
  });
});

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { smallBodyBytes } from "../src/admission.ts";
import { createFetch } from "../src/fetch.ts";
import { intercepted } from "../src/handler.ts";
import { createRequestListener, type RequestListenerOptions } from "../src/node.ts";
import { createEcho } from "./echo.ts";

const json = { "content-type": "application/json" };

/** Returns a call of exactly so many bytes. */
function callOf(bytes: number): string {
  const call = (padding: string): string => `{"jsonrpc":"2.0","id":7,"method":"echo","params":[{"text":"${padding}"}]}`;
  return call("x".repeat(bytes - call("").length));
}

async function listen(handler = createEcho(), options: RequestListenerOptions = {}): Promise<number> {
  const server = createServer(createRequestListener(handler, options)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on a port
}

type Post = (body: string, headers?: Record<string, string>) => Promise<Response>;

const byNode = async (handler = createEcho(), options: RequestListenerOptions = {}): Promise<Post> => {
  const port = await listen(handler, options);
  return (body, headers = {}) =>
    fetch(`http://127.0.0.1:${port}/json-rpc`, { method: "POST", headers: { ...json, ...headers }, body });
};
const byFetch = async (handler = createEcho()): Promise<Post> => {
  const post = createFetch(handler);
  return (body, headers = {}) =>
    post("http://quern.test/json-rpc", { method: "POST", headers: { ...json, ...headers }, body: new Blob([body]) });
};

/** Returns the longest text that `JSON.parse` has received while `work` ran. */
async function longestParsed(work: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, "parse");
  try {
    await work();
    return Math.max(0, ...parse.mock.calls.map(([parsed]) => String(parsed).length));
  } finally {
    parse.mockRestore();
  }
}

describe.each([
  ["node:http", byNode],
  ["fetch", byFetch],
])("a refused request by %s", (_, by) => {
  test("has its id up to 64 kB, and the id null above", async () => {
    const post = await by();
    const answers = [callOf(smallBodyBytes), callOf(smallBodyBytes + 1)].map((body) => post(body));
    const [small, large] = await Promise.all(answers);
    expect([small?.status, large?.status]).toEqual([401, 401]);
    expect(await small?.json()).toMatchObject({ id: 7, error: { code: -32163 } });
    expect(await large?.json()).toMatchObject({ id: null, error: { code: -32163 } });
  });

  test("of 4 MB is answered without being parsed", async () => {
    const post = await by();
    const answered = async (body: string) => expect((await post(body)).status).toBe(401);
    expect(await longestParsed(() => answered("[".repeat(4_000_000)))).toBeLessThan(100);
    expect(await longestParsed(() => answered(callOf(4_000_000)))).toBeLessThan(100);
  });

  test("is authenticated once", async () => {
    const authenticate = vi.fn(() => "caller");
    const post = await by(createEcho({ authenticate }));
    expect((await post(callOf(100))).status).toBe(200);
    expect((await post(callOf(5_000_000))).status).toBe(413);
    expect(authenticate).toHaveBeenCalledTimes(2);
  });
});

test("a deep body is refused with its id before it is parsed", async () => {
  const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  const bodies = [
    ['{"jsonrpc":"2.0","method":"echo","params":[{"id":1,"a":DEEP}],"id":"\\u00e9"}', '"é"'],
    ['{"id" : 9007199254740993,"jsonrpc":"2.0","method":"echo","params":[DEEP]}', "9007199254740993"],
    ['{"id":null,"method":"id","params":[DEEP]}', "null"],
    ['{"params":["id",DEEP]}', "null"],
    ['[{"id":3,"params":[DEEP]}]', "null"],
    ["[".repeat(4_000_000), "null"],
  ] as const;
  const post = await byNode();
  for (const [body, id] of bodies) {
    let answer = "";
    const longest = await longestParsed(async () => {
      answer = await (await post(body.replace("DEEP", deep), { "x-api-key": "k" })).text();
    });
    expect(answer).toContain(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32600`);
    expect(longest).toBeLessThan(100);
  }
});

test("the reply to an admitted request can be intercepted, and the inner handler is asked once", async () => {
  const authenticate = vi.fn(() => "caller");
  const inner = createEcho({ authenticate });
  const handler = intercepted(inner, async ({ headers }, next) => {
    const reply = await next(callOf(100));
    return { ...reply, headers: { ...reply.headers, "x-seen": headers.get("x-api-key") ?? "" } };
  });
  const reply = await handler.handle("7", new Headers({ "x-api-key": "k" }));
  expect(reply).toMatchObject({ status: 200, headers: { "x-seen": "k" } });
  expect(inner.echoed).toHaveLength(1);
  expect(authenticate).toHaveBeenCalledOnce();
});

describe("the size of all bodies in memory", () => {
  const head = (length: number): string =>
    `POST /json-rpc HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
  const limit = { maxBufferedBytes: 1_000_000 };
  const whole = callOf(900_000);

  /** Sends all but the last byte of a body. */
  async function stall(port: number) {
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve) => socket.write(head(whole.length) + whole.slice(0, -1), resolve));
    return socket;
  }

  test("is limited: a large body is refused with HTTP 503 until another one is answered", async () => {
    const port = await listen(createEcho(), limit);
    const post = (body: string) =>
      fetch(`http://127.0.0.1:${port}/json-rpc`, { method: "POST", headers: { ...json, "x-api-key": "k" }, body });
    const stalled = await stall(port);
    const refused = await vi.waitUntil(async () => {
      const response = await post(whole);
      return response.status === 503 && response;
    });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32603 } });
    expect((await post(callOf(smallBodyBytes))).status).toBe(200);

    stalled.write("}");
    expect(await text(stalled)).toMatch(/^HTTP\/1.1 200/);
    expect((await post(whole)).status).toBe(200);
  });

  test("is freed when a client disconnects within its body", async () => {
    const port = await listen(createEcho(), limit);
    const post = () =>
      fetch(`http://127.0.0.1:${port}/json-rpc`, {
        method: "POST",
        headers: { ...json, "x-api-key": "k" },
        body: whole,
      });
    const stalled = await stall(port);
    await vi.waitUntil(async () => (await post()).status === 503);
    stalled.destroy();
    await vi.waitUntil(async () => (await post()).status === 200);
  });
});

test("a client that disconnects before its large body is refused leaves no timer", async () => {
  let authenticated = (): void => {};
  const wait = new Promise<void>((resolve) => {
    authenticated = resolve;
  });
  const authenticate = vi.fn(() => wait.then(() => "caller"));
  const port = await listen(createEcho({ authenticate, limits: { maxBodyBytes: 1_000 } }));
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /json-rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n");
  await vi.waitUntil(() => authenticate.mock.calls.length > 0);
  socket.destroy();
  await once(socket, "close");
  await setTimeout(20); // until the server has noticed
  const start = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => start.mockRestore());
  authenticated();
  await setImmediate();
  expect(start).not.toHaveBeenCalled();
});

test("no byte of a body is read before the request is authenticated", async () => {
  let authenticated = (): void => {};
  const wait = new Promise<void>((resolve) => {
    authenticated = resolve;
  });
  const handler = createEcho({ authenticate: () => wait.then(() => "caller") });
  const listener = createRequestListener(handler);
  let listeners = -1;
  const server = createServer((request, response) => {
    listener(request, response);
    listeners = request.listenerCount("data");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const answer = fetch(`http://127.0.0.1:${port}/json-rpc`, { method: "POST", headers: json, body: callOf(100_000) });
  await vi.waitUntil(() => listeners >= 0);
  expect(listeners).toBe(0);
  authenticated();
  expect((await answer).status).toBe(200);
});

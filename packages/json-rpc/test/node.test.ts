import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type CallContext, preencoded } from "../src/handler.ts";
import { createRequestListener } from "../src/node.ts";
import { bytes, createEcho, idle } from "./echo.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(handler = createEcho(), options = {}): Promise<{ port: number; url: string }> {
  const server = createServer(createRequestListener(handler, options)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  // `address()` is an object for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/json-rpc` };
}

const connections = promisify((server: Server, done: Parameters<Server["getConnections"]>[0]) =>
  server.getConnections(done),
);

const body = '{"jsonrpc":"2.0","method":"echo","params":[{"text":"hi"}],"id":1}';
const headers = { "x-api-key": "k", "content-type": "application/json" };
const post = (url: string, more: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers, body, ...more });

test("a call is answered, with CORS for browsers", async () => {
  const { url } = await listen();
  const response = await post(url, { headers: { ...headers, origin: "https://example.com" } });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "hi" });
});

test("the length of an answer is that of its bytes", async () => {
  const { url } = await listen();
  const response = await post(url, { body: body.replace("hi", "ü😀") });
  const text = '{"jsonrpc":"2.0","id":1,"result":"ü😀"}';
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect(await response.text()).toBe(text);
});

test("a batch with preencoded bytes is answered completely", async () => {
  const page = body.replace("echo", "page");
  const reply = { jsonrpc: "2.0", id: 1, result: ["hi"] };
  const { url } = await listen();
  const response = await post(url, { body: `[${page},${page}]` });
  expect(await response.json()).toEqual([reply, reply]);
});

test("a method is told when the reply with its result has been sent", async () => {
  const sent: string[] = [];
  const page = ({ text }: { readonly text: string }, { onSent }: Pick<CallContext<unknown>, "onSent">) => {
    if (text !== "silent") onSent(() => sent.push(text));
    return preencoded(['{"rows":', bytes(`["${text}"]`), "}"]);
  };
  const { url } = await listen(createEcho({ handlers: { ...idle, page } }));
  const call = (text: string) => body.replace("echo", "page").replace("hi", text);
  const response = await post(url, { body: `[${call("one")},${call("silent")},${call("two")}]` });
  expect(await response.text()).toBe(
    `[${["one", "silent", "two"].map((text) => `{"jsonrpc":"2.0","id":1,"result":{"rows":["${text}"]}}`).join()}]`,
  );
  await vi.waitUntil(() => sent.length > 0);
  expect(sent).toEqual(["one", "two"]);
});

test("a method is not told of a reply if the client disconnects before it has read it", async () => {
  const onEnd = vi.fn();
  const large = new Uint8Array(50_000_000).fill(32);
  const page = (_: unknown, { onSent }: Pick<CallContext<unknown>, "onSent">) => {
    onSent(onEnd);
    return preencoded(["[", large, "]"]);
  };
  const { port } = await listen(createEcho({ handlers: { ...idle, page } }));
  const socket = connect(port, "127.0.0.1");
  const call = body.replace("echo", "page");
  socket.write(
    `POST /json-rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-api-key: k\r\ncontent-length: ${call.length}\r\n\r\n${call}`,
  );
  const [first] = await once(socket, "data");
  expect(String(first)).toContain("HTTP/1.1 200");
  const [server] = servers;
  socket.destroy();
  await vi.waitUntil(async () => server !== undefined && (await connections(server)) === 0);
  expect(onEnd).not.toHaveBeenCalled();
});

test("a base URL with a slash at its end works", async () => {
  const { url } = await listen();
  expect((await post(url.replace("/json-rpc", "//json-rpc"))).status).toBe(200);
  expect((await post(`${url}?trace=1`)).status).toBe(200);
});

test.each([
  ["another path", 404, "/elsewhere", {}],
  ["GET", 405, "/json-rpc", { method: "GET", body: null }],
  ["PUT", 405, "/json-rpc", { method: "PUT" }],
  ["text", 415, "/json-rpc", { headers: { ...headers, "content-type": "text/plain" } }],
  ["a large body", 413, "/json-rpc", { body: " ".repeat(5_000_000) }],
])("%s is refused with HTTP %i and a JSON-RPC error", async (_, status, path, init) => {
  const { url } = await listen();
  const response = await post(url.replace("/json-rpc", path), init);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
  if (status === 405) expect(response.headers.get("allow")).toContain("POST");
  expect((await post(url)).status).toBe(200);
});

test.each([
  ["text/plain", '"text/plain"'],
  [`text/${"x".repeat(100)}`, `"text/${"x".repeat(54)}…`],
])("the refusal of the content type %s reports it, shortened", async (type, received) => {
  const { url } = await listen();
  const { error } = await (await post(url, { headers: { ...headers, "content-type": type } })).json();
  const message = `Invalid Request: expected the content type application/json, received ${received}`;
  expect(error).toEqual({ code: -32600, message });
});

test("a preflight allows the headers of a call, for a day", async () => {
  const { url } = await listen();
  const response = await fetch(url, { method: "OPTIONS" });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-methods")).toBe("POST");
  expect(response.headers.get("access-control-max-age")).toBe("86400");
  expect(response.headers.get("access-control-allow-headers")).toBe(
    "x-api-key, authorization, content-type, x-request-id, traceparent",
  );
  const answer = await post(url, { headers: { ...headers, origin: "https://app.example.com" } });
  expect(answer.headers.get("access-control-expose-headers")).toBe("retry-after, x-request-id");
});

describe("with allowed origins", () => {
  const ours = "https://app.example.com";
  const allowedFor = async (init: RequestInit, options: object): Promise<(string | null)[]> => {
    const { url } = await listen(createEcho(), options);
    const { headers } = await fetch(url, init);
    return [headers.get("access-control-allow-origin"), headers.get("vary")];
  };
  const requests = (origin: string): [string, RequestInit][] => [
    ["an answer", { method: "POST", headers: { ...headers, origin }, body }],
    ["a refusal of the key", { method: "POST", headers: { "content-type": "application/json", origin }, body }],
    ["a refusal of the verb", { headers: { origin } }],
    ["a preflight", { method: "OPTIONS", headers: { origin } }],
  ];

  test.each(requests(ours))("%s may be read by a page of one of them", async (_, init) => {
    expect(await allowedFor(init, { allowedOrigins: ["https://other.example", ours] })).toEqual([ours, "origin"]);
  });

  test.each(requests("https://app.example.com.evil.example"))("%s may not be read by another page", async (_, init) => {
    expect(await allowedFor(init, { allowedOrigins: [ours] })).toEqual([null, "origin"]);
    expect(await allowedFor(init, { allowedOrigins: [] })).toEqual([null, "origin"]);
    expect(await allowedFor(init, {})).toEqual(["*", null]);
  });

  test("a request without an origin is answered without CORS", async () => {
    const { url } = await listen(createEcho(), { allowedOrigins: [ours] });
    const response = await post(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test("other paths can be answered by a fallback", async () => {
  const { url } = await listen(createEcho(), {
    fallback: (_: unknown, response: { end(text: string): void }) => response.end("ok"),
  });
  expect(await (await fetch(url.replace("json-rpc", "healthz"))).text()).toBe("ok");
});

/** Sends raw text on one connection and returns all data until it closes. */
async function raw(port: number, ...pieces: string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return text(socket);
}

const head = (more: string): string =>
  `POST /json-rpc HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\nContent-Type: Application/JSON; charset=utf-8\r\n${more}\r\n\r\n`;

test("a chunked body is read, whatever its chunks", async () => {
  const { port } = await listen();
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`);
  expect(
    await raw(
      port,
      head("transfer-encoding: chunked\r\nconnection: close"),
      ...chunks.slice(0, 5),
      `${chunks.slice(5).join("")}0\r\n\r\n`,
    ),
  ).toContain('"result":"hi"');
});

test("a chunked body above the limit is refused before it ends", async () => {
  const { port } = await listen(createEcho({ limits: { maxBodyBytes: 10 } }));
  expect(await raw(port, head("transfer-encoding: chunked"), `14\r\n${" ".repeat(20)}\r\n`, "0\r\n\r\n")).toContain(
    "HTTP/1.1 413",
  );
});

test("a chunked body is refused once, however many of its chunks are above the limit", async () => {
  const { port, url } = await listen(createEcho({ limits: { maxBodyBytes: 10 } }));
  const chunk = `14\r\n${" ".repeat(20)}\r\n`;
  const answer = await raw(port, head("transfer-encoding: chunked"), chunk, chunk, chunk, "0\r\n\r\n");
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
  expect((await post(url)).status).toBe(413);
});

test("a refused body leaves no timer", async () => {
  const { port } = await listen(createEcho({ limits: { maxBodyBytes: 10 } }));
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  await raw(port, head("content-length: 20"), " ".repeat(20));
  const patience = set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === 5_000);
  expect(patience).toHaveLength(1);
  await vi.waitFor(() => expect(clear).toHaveBeenCalledWith(patience[0]?.value));
  vi.restoreAllMocks();
});

test("a connection stays open after a notification", async () => {
  const { port } = await listen();
  const notification = body.replace(',"id":1', "");
  const answer = await raw(
    port,
    head(`content-length: ${notification.length}`) + notification,
    head(`connection: close\r\ncontent-length: ${body.length}`) + body,
  );
  expect(answer).toMatch(/^HTTP\/1.1 204/);
  expect(answer.slice(0, answer.indexOf("\r\n\r\n")).toLowerCase()).not.toContain("content-length");
  expect(answer).toContain('"result":"hi"');
});

test("a client may disconnect within a body", async () => {
  const { port, url } = await listen();
  const socket = connect(port, "127.0.0.1");
  socket.write(`${head("content-length: 1000")}{"jsonrpc"`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.destroy();
  expect((await post(url)).status).toBe(200);
});

test("a call is aborted when its client disconnects, and not when it is answered", async () => {
  const handler = createEcho();
  const { url } = await listen(handler);
  const left = new AbortController();
  const waiting = post(url, { body: body.replace("echo", "slow"), signal: left.signal });
  await vi.waitUntil(() => handler.slow.signal !== undefined);
  expect(handler.slow.signal?.aborted).toBe(false);
  left.abort();
  await expect(waiting).rejects.toThrow();
  await vi.waitUntil(() => handler.slow.signal?.aborted === true);
});

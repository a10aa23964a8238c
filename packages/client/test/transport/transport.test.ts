import { getEventListeners } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ClientOptions, createClient, getQueryRun } from "../../src/index.ts";
import { createTransport as createFetchTransport, fetchTransport } from "../../src/transport/fetch.ts";
import { createTransport as createNodeTransport } from "../../src/transport/node.ts";
import { certificate, privateKey } from "../support/certificate.ts";
import { drop, patience, startServer } from "../support/scripted-server.ts";

const transports = [
  ["fetch", createFetchTransport()],
  ["node:http", createNodeTransport()],
] as const;

const request = (url: string, signal = new AbortController().signal) => ({
  url,
  signal,
  headers: { "content-type": "application/json" },
  body: '{"method":"é"}',
  methods: ["x"],
});

describe.each(transports)("the transport over %s", (_name, transport) => {
  it("returns status, text and headers", async () => {
    await using server = await startServer(({ calls: [call] }) => ({
      status: 503,
      headers: { "retry-after": "7", "x-request-id": "r-1" },
      body: call?.method,
    }));
    const { status, text, headers } = await transport(request(server.url));
    expect({ status, text }).toEqual({ status: 503, text: "é" });
    const names = ["retry-after", "X-Request-Id", "x-missing"];
    expect(names.map((name) => headers?.get(name))).toEqual(["7", "r-1", null]);
  });

  it("decodes characters that arrive in several chunks", async () => {
    const text = JSON.stringify("ä€😀".repeat(100_000));
    await using server = await startServer(() => ({ body: text }));
    expect((await transport(request(server.url))).text).toBe(text);
  });

  it("does not follow a redirect, which would send the key to another host", async () => {
    await using other = await startServer(() => ({ body: "stolen" }));
    await using server = await startServer(() => ({ status: 307, headers: { location: other.url }, body: "" }));
    expect((await transport(request(server.url))).status).toBe(307);
    expect(other.exchanges).toHaveLength(0);
  });

  it("rejects when the connection closes, and when it is aborted", async () => {
    await using server = await startServer(() => ({ body: drop }));
    await expect(transport(request(server.url))).rejects.toThrow();
    await using silent = await startServer(() => new Promise(() => {}));
    const controller = new AbortController();
    const waiting = transport(request(silent.url, controller.signal));
    await expect.poll(() => silent.exchanges.length, patience).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => silent.exchanges[0]?.abandoned, patience).toBe(true);
  });
});

it("fetch gets the whole request, with credentials only if they are given", async () => {
  const fetch = vi.fn(async () => new Response("text", { status: 201, headers: { a: "b" } }));
  const transport = fetchTransport(fetch);
  const given = request("http://a");
  const { methods: _, url, ...rest } = given;
  const reply = await transport(given);
  expect([reply.status, reply.headers?.get("a"), reply.text]).toEqual([201, "b", "text"]);
  await transport({ ...given, keepalive: true, credentials: "include" });
  const sent = { ...rest, method: "POST", redirect: "manual" };
  expect(fetch.mock.calls).toStrictEqual([
    [url, { ...sent, keepalive: false }],
    [url, { ...sent, keepalive: true, credentials: "include" }],
  ]);
});

describe("in Node", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("a client sends by node:http, or by globalThis.fetch if its options say so", async () => {
    await using server = await startServer(() => ({ body: { jsonrpc: "2.0", id: 1, result: "from node:http" } }));
    const answer = { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":"from the stub"}' };
    const stub = vi.fn(async () => new Response(answer.text, { status: answer.status }));
    const { url } = server;
    const late = createClient({ url, apiKey: "k", fetch: (input, init) => globalThis.fetch(input, init) });
    vi.stubGlobal("fetch", stub);
    const call = (options: Partial<ClientOptions>) =>
      getQueryRun(createClient({ url, apiKey: "k", ...options }), { queryRunId: "a" });
    expect(await call({})).toBe("from node:http");
    expect(stub).not.toHaveBeenCalled();
    expect(await call({ fetch: globalThis.fetch })).toBe("from the stub");
    expect(await getQueryRun(late, { queryRunId: "a" })).toBe("from the stub");
    expect(server.exchanges).toHaveLength(1);
  });

  it("the README says so on its first screen", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    const screen = readme.split("\n").slice(0, 40).join("\n");
    for (const words of [
      "`node:http`",
      "not with `globalThis.fetch`",
      "`createClient({ …, fetch: globalThis.fetch })`",
    ]) {
      expect(screen).toContain(words);
    }
  });

  it("a client works without process.getBuiltinModule, as before Node 20.16", async () => {
    await using server = await startServer(() => ({ body: "{}" }));
    const { getBuiltinModule } = process;
    Object.assign(process, { getBuiltinModule: undefined });
    try {
      expect((await createNodeTransport()(request(server.url))).text).toBe("{}");
    } finally {
      Object.assign(process, { getBuiltinModule });
    }
  });
});

it("node:http keeps its connection between calls", async () => {
  const ports = new Set<string | undefined>();
  await using server = await startServer(({ headers }) => {
    ports.add(headers.connection);
    return { body: {} };
  });
  const transport = createNodeTransport();
  for (let count = 0; count < 3; count += 1) await transport(request(server.url));
  expect([...ports]).toEqual(["keep-alive"]);
  expect(server.connections()).toBe(1);
});

it("node:http removes its listener from the signal, with and without an answer", async () => {
  await using server = await startServer(() => ({ body: {} }));
  await using closing = await startServer(() => ({ body: drop }));
  const { signal } = new AbortController();
  const transport = createNodeTransport();
  await transport(request(server.url, signal));
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await expect(transport(request(closing.url, signal))).rejects.toThrow();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("node:http uses the proxy of the process", async () => {
  await using proxy = await startServer(() => ({ body: "through the proxy" }));
  const { globalAgent } = http;
  const options = { keepAlive: true, proxyEnv: { HTTP_PROXY: proxy.url } }; // A name of its own, as its types do not know `proxyEnv`.
  http.globalAgent = new http.Agent(options);
  try {
    const reply = await createNodeTransport()(request("http://quern.invalid/json-rpc"));
    expect(reply.text).toBe("through the proxy");
    expect(proxy.exchanges[0]?.path).toBe("http://quern.invalid/json-rpc");
  } finally {
    http.globalAgent = globalAgent;
  }
});

describe("node:https", () => {
  const trusted = getCACertificates("default");
  afterEach(() => setDefaultCACertificates(trusted));

  it("sends calls to an https address, and only if its certificate is trusted", async () => {
    const server = createServer({ cert: certificate, key: privateKey }, (_request, response) => response.end("safe"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo; // It listens on a port.
      const safe = request(`https://127.0.0.1:${port}`);
      await expect(createNodeTransport()(safe)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
      setDefaultCACertificates([...trusted, certificate]);
      expect(await createNodeTransport()(safe)).toMatchObject({ status: 200, text: "safe" });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("and node:http work in one client, each with its own connection", async () => {
    await using server = await startServer(() => ({ body: "plain" }));
    const transport = createNodeTransport();
    await transport(request(server.url));
    await expect(transport(request(server.url.replace("http:", "https:")))).rejects.toThrow();
    expect((await transport(request(server.url))).text).toBe("plain");
    expect(server.connections()).toBe(2);
  });
});

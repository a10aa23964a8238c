import { expect, test, vi } from "vitest";
import { createFetch } from "../src/fetch.ts";
import { createEcho } from "./echo.ts";

const url = "http://quern.test/json-rpc";
const body = '{"jsonrpc":"2.0","method":"echo","params":[{"text":"hi"}],"id":1}';
const init = { method: "POST", headers: { "x-api-key": "k", "content-type": "application/json" }, body };

test.each([
  ["arguments", [url, init]],
  ["a URL", [new URL(url), init]],
  ["bytes", [url, { ...init, body: new TextEncoder().encode(body) }]],
  ["a blob", [url, { ...init, body: new Blob([body]) }]],
  ["a request", [new Request(url, init)]],
  ["a verb in lower case", [url, { ...init, method: "post" }]],
] satisfies [string, [Request | URL | string, RequestInit?]][])(
  "a call by %s is answered",
  async (_, [input, options]) => {
    const response = await createFetch(createEcho())(input, options);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "hi" });
  },
);

test.each([
  [404, "http://quern.test/", init],
  [405, url, {}],
  [415, url, { ...init, headers: {} }],
  [413, url, { ...init, body: new Blob([" ".repeat(200)]) }],
  [413, url, { ...init, body: " ".repeat(200) }],
  [204, url, { method: "OPTIONS" }],
  [204, url, { ...init, body: body.replace(',"id":1', "") }],
] satisfies [number, string, RequestInit][])(
  "the policy is that of the other door: %i",
  async (status, input, options) => {
    expect((await createFetch(createEcho({ limits: { maxBodyBytes: 100 } }))(input, options)).status).toBe(status);
  },
);

test("a batch with preencoded bytes is answered completely", async () => {
  const page = body.replace("echo", "page");
  const reply = { jsonrpc: "2.0", id: 1, result: ["hi"] };
  const response = await createFetch(createEcho())(url, { ...init, body: `[${page},${page}]` });
  expect(await response.json()).toEqual([reply, reply]);
});

test.each([
  ["half of a pair, as UTF-8 sends it", body.replace("hi", "\ud83d!"), "\ufffd!"],
  ["a whole pair", body.replace("hi", "😀"), "😀"],
  ["a byte order mark", `\ufeff${body}`, "hi"],
])("a text with %s is read", async (_, text, result) => {
  expect(await (await createFetch(createEcho())(url, { ...init, body: text })).json()).toMatchObject({ result });
});

test("the limit counts bytes", async () => {
  const fetch = createFetch(createEcho({ limits: { maxBodyBytes: 100 } }));
  const status = async (text: string) => (await fetch(url, { ...init, body: body.replace("hi", text) })).status;
  expect([await status("ü".repeat(18)), await status("ü".repeat(19))]).toEqual([200, 413]);
});

test("a stream may have as many bytes as the limit, and no more", async () => {
  const fetch = createFetch(createEcho({ limits: { maxBodyBytes: 100 } }));
  const status = async (bytes: number) => (await fetch(url, { ...init, body: new Blob([body.padEnd(bytes)]) })).status;
  expect([await status(100), await status(101)]).toEqual([200, 413]);
});

test("a stream of several chunks is read in their order", async () => {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of body.match(/.{1,20}/g) ?? []) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const options = { ...init, body: stream, duplex: "half" } as RequestInit;
  expect(await (await createFetch(createEcho())(url, options)).json()).toMatchObject({ result: "hi" });
});

test.each([
  ["in any case, once", { "X-API-Key": "k", "Content-Type": "application/json" }, 200],
  ["as pairs", Object.entries(init.headers), 200],
  ["as `Headers`", new Headers(init.headers), 200],
  ["with blanks around them", { ...init.headers, "content-type": " application/json\t" }, 200],
  ["of another library", new Map(Object.entries(init.headers)) as unknown as Headers, 200], // both are iterables
  ["twice", { "Content-Type": "text/plain", ...init.headers }, 415],
])("headers count %s", async (_, headers, status) => {
  expect((await createFetch(createEcho())(url, { ...init, headers })).status).toBe(status);
});

test("a header that no request can have rejects the fetch", async () => {
  const fetch = createFetch(createEcho());
  for (const headers of [
    { ...init.headers, "x-api-key": "k\n" + "k" },
    { ...init.headers, "x api": "k" },
  ])
    await expect(fetch(url, { ...init, headers })).rejects.toThrow(TypeError);
});

test("only requests with an origin get CORS headers", async () => {
  const allowed = async (headers: Record<string, string>, to = url) =>
    (await createFetch(createEcho())(to, { ...init, headers })).headers.get("access-control-allow-origin");
  const page = { ...init.headers, origin: "https://example.com" };
  expect([await allowed(init.headers), await allowed(page), await allowed(page, "http://quern.test/")]).toEqual([
    null,
    "*",
    "*",
  ]);
});

test("an abort rejects the fetch and reaches the call", async () => {
  const handler = createEcho();
  const left = new AbortController();
  const waiting = createFetch(handler)(url, { ...init, body: body.replace("echo", "slow"), signal: left.signal });
  await vi.waitUntil(() => handler.slow.signal !== undefined);
  left.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  expect(handler.slow.signal?.aborted).toBe(true);
  await expect(createFetch(handler)(url, { ...init, signal: left.signal })).rejects.toThrow("left");
});

test("other paths can be answered by a fallback", async () => {
  const fallback = (request: Request): Response => new Response(new URL(request.url).pathname);
  expect(await (await createFetch(createEcho(), { fallback })("http://quern.test/healthz")).text()).toBe("/healthz");
});

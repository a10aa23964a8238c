import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { SlowAnswer } from "../../src/server/check.ts";
import { createSender } from "../../src/server/exchange.ts";

const json = { jsonrpc: "2.0", id: 7, method: "a" };
const body = JSON.stringify(json);

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** Starts a server that answers as given, and a sender of requests to it. */
async function sending(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(202, { "x-a": "b" }).end("{}"),
  timeoutMs = 10_000,
) {
  const received: Received[] = [];
  const aborted: string[] = [];
  const sockets = new Set<unknown>();
  const server = createServer(async (request, response) => {
    sockets.add(request.socket);
    try {
      received.push({ request, body: await text(request) });
      answer(response);
    } catch {
      aborted.push(request.url ?? "");
    }
  }).listen(0, "127.0.0.1");
  const sender = createSender(await addressOf(server), timeoutMs);
  onTestFinished(() => {
    sender[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  });
  return { received, aborted, sockets, sender };
}

async function addressOf(server: ReturnType<typeof createServer>): Promise<string> {
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/json-rpc`; // it listens on a port
}

it("sends a call with its size and the key, and returns the answer", async () => {
  const { received, sender } = await sending();
  const before = performance.now();
  const exchange = await sender.send({ json }, { apiKey: "k" });
  expect(exchange).toEqual({
    sent: [{ idText: "7", method: "a", params: undefined, isNotification: false }],
    sentAt: expect.any(Number),
    answer: { status: 202, headers: expect.objectContaining({ "x-a": "b" }), body: Buffer.from("{}") },
    contradictions: [],
  });
  expect(exchange.sentAt).toBeGreaterThanOrEqual(before);
  expect(exchange.sentAt).toBeLessThanOrEqual(performance.now());
  const [first] = received;
  expect([first?.request.method, first?.request.url, first?.body]).toEqual(["POST", "/json-rpc", body]);
  expect(first?.request.headers).toMatchObject({
    "content-type": "application/json",
    "x-api-key": "k",
    "content-length": String(body.length),
  });
  expect(first?.request.headers["transfer-encoding"]).toBeUndefined();
});

it("sends another verb, path and headers unchanged, and leaves out a header that is null", async () => {
  const { received, sender } = await sending();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the corpus
  const headers = { "X-API-Key": null, "Content-Type": "text/plain", "x-other": "key ${apiKey}" };
  await sender.send({ json, verb: "PUT", path: "/a/../b", headers }, { apiKey: "k" });
  const { method, url, headers: got } = received[0]?.request ?? {};
  expect([method, url]).toEqual(["PUT", "/a/../b"]);
  expect([got?.["content-type"], got?.["x-api-key"], got?.["x-other"]]).toEqual(["text/plain", undefined, "key k"]);
});

it("sends a body in chunks", async () => {
  const { received, sender } = await sending();
  await sender.send({ json, chunkBytes: 7 }, { apiKey: "k" });
  expect(received[0]?.body).toBe(body);
  expect(received[0]?.request.headers).toMatchObject({ "transfer-encoding": "chunked" });
  expect(received[0]?.request.headers).not.toHaveProperty("content-length");
});

it("opens a connection for each request, unless it is kept", async () => {
  const { sockets, sender } = await sending();
  for (let count = 0; count < 2; count += 1) await sender.send({ json }, { apiKey: "k" });
  expect(sockets.size).toBe(2);
  for (let count = 0; count < 3; count += 1) await sender.send({ json, connection: "kept" }, { apiKey: "k" });
  expect(sockets.size).toBe(3);
});

it("cuts a request off after a number of bytes, and expects no answer", async () => {
  const { received, aborted, sender } = await sending();
  const exchange = await sender.send({ json, cutAfterBytes: 5, path: "/cut" }, { apiKey: "k" });
  expect([exchange.answer, exchange.sent.length]).toEqual([undefined, 1]);
  await expect.poll(() => aborted).toEqual(["/cut"]);
  expect(received).toEqual([]);
});

it("is too slow if the answer is not complete in time, and fails if it ends before", async () => {
  const slow = await sending((response) => void response.write("{"), 30);
  const late = slow.sender.send({ json }, { apiKey: "k" });
  await expect(late).rejects.toThrow(SlowAnswer);
  await expect(late).rejects.toThrow("no complete response within 30 ms");
  const ending = await sending((response) => {
    response.writeHead(200, { "content-length": 9 });
    response.write("{", () => response.destroy());
  });
  await expect(ending.sender.send({ json }, { apiKey: "k" })).rejects.not.toThrow(SlowAnswer);
});

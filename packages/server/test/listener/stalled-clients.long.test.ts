import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { limitDefaults } from "../../src/common/limits.ts";
import { createListener } from "../../src/listener/listener.ts";
import { apiKey, createGate, eventually, idleKind, startServer } from "../fixture.ts";
import { connectRaw, headOf, received } from "./raw-client.ts";

const silent = { error: () => {} };

it("closes a connection whose headers do not arrive in time, also without a byte", async () => {
  await using server = await startServer({ kind: idleKind, limits: { headersTimeoutSeconds: 0.2 } });
  const sockets = await Promise.all([connectRaw(server.url), connectRaw(server.url)]);
  sockets[0]?.write("POST /json-rpc HTTP/1.1\r\nhost: localhost\r\n");
  const drip = setInterval(() => sockets[0]?.write("x-a: b\r\n"), 20);
  const [slow] = await Promise.all(sockets.map(received));
  clearInterval(drip);
  expect(slow).toMatch(/^HTTP\/1.1 408 /);
});

it.each([
  ["without a key", {}],
  ["with a key", { "x-api-key": apiKey }],
])("answers a body that does not arrive with HTTP 408, and closes the connection: %s", async (_, headers) => {
  await using server = await startServer({ kind: idleKind, limits: { bodyTimeoutSeconds: 0.2 } });
  const socket = await connectRaw(server.url);
  socket.write(`${headOf(50_000, headers)}[`);
  const answer = await received(socket);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain('"error":{"code":-32600');
});

it("closes a connection whose body arrives by single bytes, but not one that is merely slow", async () => {
  await using server = await startServer({ kind: idleKind, limits: { bodyTimeoutSeconds: 0.4 } });
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] }).padEnd(9_000);
  const headers = { "x-api-key": apiKey, connection: "close" };
  const sockets = await Promise.all([connectRaw(server.url), connectRaw(server.url)]);
  const answers = Promise.all(sockets.map(received));
  for (const socket of sockets) socket.write(headOf(call.length, headers));
  for (let at = 0; at < call.length; at += 900) {
    if (sockets[0]?.writable) sockets[0].write(call.slice(at / 900, at / 900 + 1));
    sockets[1]?.write(call.slice(at, at + 900));
    await sleep(120);
  }
  const [bytes, pieces] = await answers;
  expect(bytes).toMatch(/^HTTP\/1.1 408 /);
  expect(pieces).toMatch(/^HTTP\/1.1 200 /);
});

it("closes a connection with a body that no route reads", async () => {
  await using server = await startServer({ kind: idleKind, limits: { bodyTimeoutSeconds: 0.2 } });
  const socket = await connectRaw(server.url);
  socket.write("POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n");
  expect(await received(socket)).toMatch(/^HTTP\/1.1 404 /);
});

it("closes the connection of a client that does not read, and not of one that waits for a slow response", async () => {
  const gate = createGate();
  const chunk = Buffer.alloc(1_000_000);
  let isClosed = false;
  const listener = createListener(
    (request, response) => {
      response.on("close", () => {
        if (request.url === "/large") isClosed = !response.writableFinished;
      });
      if (request.url === "/slow") void gate.pass(new AbortController().signal).then(() => response.end("late"));
      else for (let count = 0; count < 50; count += 1) response.write(chunk);
    },
    { ...limitDefaults, responseTimeoutSeconds: 0.2 },
    silent,
  );
  const { url } = await listener.listen(0, "127.0.0.1");
  const slow = fetch(`${url}/slow`);
  const socket = await connectRaw(url);
  socket.pause().write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await eventually(() => isClosed);
  await sleep(300);
  gate.open();
  expect(await (await slow).text()).toBe("late");
  socket.destroy();
  await listener.close();
});

it("closes connections above the limit at once, serves the others, and logs it once", async () => {
  const logged: unknown[] = [];
  const log = { error: (_: string, error: unknown) => logged.push(error) };
  await using server = await startServer({ kind: idleKind, limits: { maxConnections: 2 }, log });
  const first = await connectRaw(server.url);
  const second = await connectRaw(server.url);
  expect(await received(await connectRaw(server.url))).toBe("");
  expect(await received(await connectRaw(server.url))).toBe("");
  second.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await received(second)).toMatch(/^HTTP\/1.1 200 /);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(logged).toEqual([new Error("limits.maxConnections is reached: 2; raise it, or limit each client in a proxy")]);
  first.destroy();
});

it("refuses bodies above the limit of all bodies with a retryable error", async () => {
  await using server = await startServer({ kind: idleKind, limits: { maxBufferedBodyBytes: 100_000 } });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });
  const post = (text: string) =>
    fetch(`${server.url}/json-rpc`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey },
      body: text,
    });
  const refused = await post(body.padEnd(100_001));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ id: null, error: { code: -32029, data: { retryAfterMs: 1_000 } } });
  expect((await post(body.padEnd(100_000))).status).toBe(200);
  expect((await post(body.padEnd(100_000))).status).toBe(200);
});

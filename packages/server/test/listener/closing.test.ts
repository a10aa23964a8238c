import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { limitDefaults } from "../../src/common/limits.ts";
import { createListener } from "../../src/listener/listener.ts";
import { connectRaw, received } from "./raw-client.ts";

afterEach(() => void vi.useRealTimers());

const silent = { error: () => {} };
const head = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

it("waits five seconds for a response in progress, and then closes its connection", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const asked = Promise.withResolvers<void>();
  const listener = createListener(() => asked.resolve(), limitDefaults, silent);
  const { url } = await listener.listen(0, "127.0.0.1");
  expect(listener.isListening).toBe(true);
  const socket = await connectRaw(url);
  const answer = received(socket);
  socket.write(head);
  await asked.promise;
  const closed = listener.close();
  vi.advanceTimersByTime(4_999);
  expect([listener.isListening, socket.destroyed]).toEqual([true, false]);
  vi.advanceTimersByTime(1);
  await closed;
  expect([await answer, listener.isListening, vi.getTimerCount()]).toEqual(["", false, 0]);
});

it("leaves no timer if all responses have been sent, or if it has not listened", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const listener = createListener((_, response) => response.end("answer"), limitDefaults, silent);
  const { url } = await listener.listen(0, "127.0.0.1");
  const socket = await connectRaw(url);
  socket.write(head);
  const [data] = (await once(socket, "data")) as [Buffer];
  expect(data.toString()).toContain("\r\nKeep-Alive: timeout=65\r\n");
  await listener.close();
  expect(vi.getTimerCount()).toBe(0);
  const idle = createListener(() => {}, limitDefaults, silent);
  await idle.close();
  expect([idle.isListening, vi.getTimerCount()]).toEqual([false, 0]);
});

it("logs refused connections once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const logged: string[] = [];
  const log = { error: (message: string) => void logged.push(message) };
  const listener = createListener(() => {}, { ...limitDefaults, maxConnections: 1 }, log);
  const { url } = await listener.listen(0, "127.0.0.1");
  const first: Socket = await connectRaw(url);
  const counts: number[] = [];
  for (const ms of [0, 59_999, 1, 0]) {
    vi.advanceTimersByTime(ms);
    expect(await received(await connectRaw(url))).toBe("");
    counts.push(logged.length);
  }
  expect(counts).toEqual([1, 1, 2, 2]);
  expect(new Set(logged)).toEqual(new Set(["connections are refused"]));
  first.destroy();
  await listener.close();
});

it("closes connections without traffic, except one whose client waits for its response", async () => {
  const gate = Promise.withResolvers<void>();
  const limits = { ...limitDefaults, responseTimeoutSeconds: 0.1 };
  const listener = createListener(
    (request, response) => {
      if (request.method === "GET") void gate.promise.then(() => response.end("late"));
    },
    limits,
    silent,
  );
  const { url } = await listener.listen(0, "127.0.0.1");
  const waiting = await connectRaw(url);
  waiting.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  const answer = received(waiting);
  const [idle, incomplete] = [await connectRaw(url), await connectRaw(url)];
  incomplete.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{");
  expect(await Promise.all([received(idle), received(incomplete)])).toEqual(["", ""]);
  gate.resolve();
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(await answer).toContain("late");
  await listener.close();
});

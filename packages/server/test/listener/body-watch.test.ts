import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchBodies } from "../../src/listener/body-watch.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Watches a request with 20 seconds for each 20,000 bytes of its body, of which 500 bytes have arrived. */
function watched({ headersSent = false } = {}) {
  const socket = { bytesRead: 500 };
  const destroy = vi.fn();
  const request = Object.assign(new EventEmitter(), { complete: false, socket, destroy });
  const response = { headersSent, writeHead: vi.fn(), end: vi.fn((_: string, done: () => void) => done()) };
  const bodies = watchBodies(20_000);
  bodies.watch(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return { bodies, request, socket, destroy, response };
}

it("answers a body that arrives too slowly with HTTP 408, and closes the connection", () => {
  const { socket, destroy, response } = watched();
  socket.bytesRead += 19_999;
  vi.advanceTimersByTime(19_999);
  expect(response.writeHead).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(response.writeHead.mock.calls).toEqual([[408, { "content-type": "application/json", connection: "close" }]]);
  expect(JSON.parse(response.end.mock.calls[0]?.[0] ?? "")).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_600, message: "Invalid Request: the body arrived too slowly; send it again" },
  });
  expect(destroy).toHaveBeenCalledOnce();
});

it("closes the connection without an answer if a response has begun", () => {
  const { destroy, response } = watched({ headersSent: true });
  vi.advanceTimersByTime(20_000);
  expect([destroy.mock.calls.length, response.writeHead.mock.calls.length]).toEqual([1, 0]);
});

it("measures the rate anew after each period", () => {
  const { socket, destroy } = watched();
  socket.bytesRead += 20_000;
  vi.advanceTimersByTime(20_000);
  socket.bytesRead += 19_999;
  vi.advanceTimersByTime(19_999);
  expect(destroy).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(destroy).toHaveBeenCalledOnce();
});

it.each(["complete", "closed"])("watches a request no longer that is %s", (state) => {
  const { request, destroy } = watched();
  if (state === "complete") request.complete = true;
  else request.emit("close");
  vi.advanceTimersByTime(20_000);
  request.complete = false;
  vi.advanceTimersByTime(20_000);
  expect([destroy.mock.calls.length, request.listenerCount("close")]).toEqual([0, state === "complete" ? 1 : 0]);
});

it("stops when it is closed", () => {
  const { bodies } = watched();
  expect(vi.getTimerCount()).toBe(1);
  bodies.close();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  [1_000, 250],
  [600_000, 5_000],
])("checks bodies of %i ms every %i ms", (timeoutMs, intervalMs) => {
  const bodies = watchBodies(timeoutMs);
  vi.advanceTimersToNextTimer();
  expect(performance.now()).toBe(intervalMs);
  bodies.close();
});

import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import type { Context } from "../../src/command-function.ts";
import { listenError, serveUntilSignal } from "../../src/listening/listening.ts";

const announcement = { json: { url: "http://a" }, lines: ["listening", "key"] };

function fakeProcess() {
  const process = Object.assign(new EventEmitter(), { stdout: new PassThrough(), exitCode: undefined });
  return { process, context: { process } as unknown as Context };
}

it.each([
  [true, '{"url":"http://a"}\n'],
  [false, "listening\nkey\n"],
])("prints the address of a server as JSON: %s", async (json, text) => {
  const { process, context } = fakeProcess();
  const close = vi.fn(async () => {});
  const over = serveUntilSignal({ announcement, close }, context, json);
  expect([String(process.stdout.read()), close.mock.calls.length]).toEqual([text, 0]);
  process.emit("SIGTERM", "SIGTERM");
  await over;
  expect(close).toHaveBeenCalledOnce();
});

it.each([
  ["SIGINT", 130],
  ["SIGHUP", 129],
  ["SIGTERM", undefined],
])(
  "closes the server at %s with the exit code %j, and leaves a second one to end the process",
  async (signal, code) => {
    const { process, context } = fakeProcess();
    const over = serveUntilSignal({ announcement, close: async () => {} }, context, false);
    process.emit(signal, signal);
    await over;
    expect([process.exitCode, process.listenerCount(signal)]).toEqual([code, 0]);
  },
);

it("closes the server when its parent has ended, as for SIGTERM", async () => {
  const { process, context } = fakeProcess();
  const close = vi.fn(async () => {});
  const parent = Promise.withResolvers<void>();
  const over = serveUntilSignal({ announcement, close, ended: parent.promise }, context, false);
  parent.resolve();
  await over;
  expect([close.mock.calls.length, process.exitCode]).toEqual([1, undefined]);
});

it("calls the function for a hurry at the second signal alone", async () => {
  const { process, context } = fakeProcess();
  const hurry = vi.fn();
  const closing = Promise.withResolvers<void>();
  const over = serveUntilSignal({ announcement, close: () => closing.promise, hurry }, context, false);
  process.emit("SIGINT", "SIGINT");
  await new Promise(setImmediate);
  expect(hurry).not.toHaveBeenCalled();
  process.emit("SIGTERM", "SIGTERM");
  await new Promise(setImmediate);
  expect(hurry).toHaveBeenCalledOnce();
  closing.resolve();
  await over;
});

it("converts only errors of listening", () => {
  const at = { port: 80, host: "h" };
  for (const error of [new Error("a"), Object.assign(new Error("a"), { code: "EPERM" }), { code: "EACCES" }, "EACCES"])
    expect(listenError(error, at)).toBe(error);
  expect(listenError(Object.assign(new Error("a"), { code: "EACCES" }), at)).toMatchObject({
    name: "UsageError",
    message: "permission denied: cannot listen on h:80; choose another port with --port, such as one above 1023",
  });
});

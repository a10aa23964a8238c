import { expect, test } from "vitest";
import { MethodError, preencoded } from "../src/handler.ts";
import { bytes, call, createEcho, idle, send } from "./echo.ts";

test("a batch does not perform further calls once an answer did not fit", async () => {
  const page = bytes(JSON.stringify("x".repeat(100)));
  const performed: string[] = [];
  const handler = createEcho({
    limits: { maxReplyBytes: 600, maxBatchConcurrency: 2 },
    handlers: {
      ...idle,
      page({ text }) {
        performed.push(text);
        return preencoded(page);
      },
    },
  });
  const pages = [..."123456789"].map((text) => call("page", [{ text }], Number(text)));
  const { json } = await send(pages, handler);
  expect(performed).toEqual(["1", "2", "3", "4", "5", "6"]);
  const codes = json.map(({ error }: { error?: { code: number } }) => error?.code ?? null);
  expect(codes).toEqual([null, null, null, null, -32600, -32600, -32600, -32600, -32600]);
});

test("a batch performs a further call only if it is admitted", async () => {
  const admissions: unknown[] = [];
  const handler = createEcho({
    limits: { maxReplyBytes: 200, maxBatchConcurrency: 1 },
    admitMember(principal, isReplyFull) {
      admissions.push([principal, isReplyFull]);
      if (admissions.length === 1)
        throw new MethodError(-32029, "later", { data: { retryAfterMs: 5 }, httpStatus: 429 });
      if (admissions.length === 2) throw new Error("the secret");
      if (isReplyFull) throw new MethodError(-32029, "full");
    },
  });
  const calls = ["a", "b", "c", "d".repeat(200), "e", "f"].map((text, id) => call("echo", [{ text }], id));
  const { status, json } = await send([...calls, call("echo", [{ text: "notified" }])], handler);
  expect(status).toBe(200);
  expect(json).toMatchObject([
    { id: 0, result: "a" },
    { id: 1, error: { code: -32029, data: { retryAfterMs: 5 } } },
    { id: 2, error: { code: -32603 } },
    { id: 3, error: { code: -32600 } },
    { id: 4, error: { code: -32029, message: "full" } },
    { id: 5, error: { code: -32029, message: "full" } },
  ]);
  expect(handler.echoed).toEqual(["a", "d".repeat(200)]);
  expect(handler.errors).toEqual([new Error("the secret")]);
  expect(admissions).toHaveLength(6);
});

test("a batch does not perform further calls after the client has disconnected", async () => {
  const disconnected = new AbortController();
  const performed: string[] = [];
  const handler = createEcho({
    limits: { maxBatchConcurrency: 1 },
    handlers: {
      ...idle,
      echo({ text }) {
        performed.push(text);
        if (text === "b") disconnected.abort();
      },
    },
  });
  const calls = [..."abcd"].map((text, id) => call("echo", [{ text }], id));
  await handler.handle(JSON.stringify(calls), new Headers({ "x-api-key": "key" }), disconnected.signal);
  expect(performed).toEqual(["a", "b"]);
});

test("the end of a call by a disconnect is no error for the operator, but a fault after it is", async () => {
  const disconnected = new AbortController();
  const fault = new Error("the disk is away");
  const handler = createEcho({
    handlers: {
      ...idle,
      echo({ text }) {
        disconnected.abort();
        const { reason } = disconnected.signal;
        throw text === "cause"
          ? new MethodError(-32_000, "no page", { cause: reason })
          : text === "fault"
            ? fault
            : reason;
      },
    },
  });
  for (const text of ["abort", "cause", "fault"]) {
    const headers = new Headers({ "x-api-key": "key" });
    await handler.handle(JSON.stringify(call("echo", [{ text }], 1)), headers, disconnected.signal);
  }
  expect(handler.errors).toEqual([fault]);
});

test("the optional parts of a batch have a quarter of its reply at most; a lone call has no such limit", async () => {
  const handler = createEcho({
    limits: { maxReplyBytes: 400, maxBatchConcurrency: 1 },
    handlers: { ...idle, echo: ({ text }, { reserveReply }) => reserveReply(Number(text)) },
  });
  const calls = ["101", "60", "41", "40", "1"].map((text, id) => call("echo", [{ text }], id));
  const { json } = await send(calls, handler);
  expect(json.map(({ result }: { result: boolean }) => result)).toEqual([false, true, false, true, false]);
  expect((await send(call("echo", [{ text: "1000000" }], 1), handler)).json).toMatchObject({ result: true });
});

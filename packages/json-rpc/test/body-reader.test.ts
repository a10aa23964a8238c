import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createBodyReader } from "../src/body-reader.ts";

const small = 64 * 1024;

/** Starts to read a body, whose chunks follow. */
function reading(reader = createBodyReader(Number.POSITIVE_INFINITY), maxBytes = 1_000_000) {
  const request = new EventEmitter() as EventEmitter & IncomingMessage; // only its events are used
  const body = reader.read(request, maxBytes);
  return {
    body,
    request,
    send: (...lengths: readonly number[]) => {
      for (const length of lengths) request.emit("data", Buffer.alloc(length, length % 256));
    },
    async end() {
      request.emit("end");
      const read = await body;
      if (typeof read === "string") throw new Error(read);
      return read;
    },
  };
}
const listeners = (request: EventEmitter) => request.eventNames().map((name) => [name, request.listenerCount(name)]);

test("a body has all its chunks in their order, without a copy of a single one", async () => {
  const several = reading();
  several.send(1, 2, 3);
  expect([...(await several.end()).bytes]).toEqual([1, 2, 2, 3, 3, 3]);
  const single = reading();
  const chunk = Buffer.from("x");
  single.request.emit("data", chunk);
  expect((await single.end()).bytes).toBe(chunk);
  expect((await reading().end()).bytes).toHaveLength(0);
});

test("a body may have as many bytes as are allowed, and no listener stays for a larger one", async () => {
  const exact = reading(undefined, 10);
  exact.send(4, 6);
  expect((await exact.end()).bytes).toHaveLength(10);
  const large = reading(undefined, 10);
  large.send(4, 7);
  expect([await large.body, listeners(large.request)]).toEqual(["too large", []]);
});

test("a client that disconnects ends the body, unless it is complete", async () => {
  const closed = reading();
  closed.send(1);
  closed.request.emit("close");
  expect([await closed.body, listeners(closed.request)]).toEqual(["closed", []]);
  const complete = reading();
  complete.send(1);
  const { bytes } = await complete.end();
  complete.request.emit("close");
  expect([bytes.length, complete.request.listenerCount("close")]).toEqual([1, 0]);
  const request = Object.assign(new EventEmitter(), { destroyed: true });
  expect(await createBodyReader(1).read(request as EventEmitter & IncomingMessage, 1)).toBe("closed");
  expect(listeners(request)).toEqual([]);
});

test("small bodies are not counted, and a large one is from its first byte until it is released, once", async () => {
  const reader = createBodyReader(3 * small);
  const bodies = [1, 2, 3].map(() => reading(reader));
  for (const each of bodies) each.send(small);
  const [first, second] = bodies;
  first?.send(1); // now all its bytes count
  second?.send(1);
  const full = reading(reader);
  full.send(small, 1);
  expect(await full.body).toBe("overloaded");
  const read = await second?.end();
  if (read === undefined) throw new Error("no body");
  read.release();
  read.release();
  const next = reading(reader);
  next.send(small, small - 1);
  expect((await next.end()).bytes).toHaveLength(2 * small - 1);
});

test.each(["too large", "overloaded", "closed"])("a body that ends as %s takes no memory any more", async (fault) => {
  const reader = createBodyReader(2 * small);
  const failed = reading(reader, fault === "too large" ? small + 1 : 1_000_000);
  failed.send(small, 1);
  if (fault === "closed") failed.request.emit("close");
  else failed.send(fault === "too large" ? 1 : 2 * small);
  expect(await failed.body).toBe(fault);
  const next = reading(reader);
  next.send(2 * small);
  expect((await next.end()).bytes).toHaveLength(2 * small);
});

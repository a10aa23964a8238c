import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { Download } from "@quern/duckdb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type DownloadEvents, sendDownload } from "../../src/downloads/download-stream.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type OnChunk = Parameters<Download["read"]>[0];

/** Sends a download whose chunks and end the test decides. `seen` has what happened, in order. */
function sending(events: Partial<DownloadEvents> = {}) {
  const seen: unknown[] = [];
  const reading = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  let onChunk: OnChunk = () => {};
  const download: Download = {
    pid: 0,
    written: written.promise,
    read(given) {
      onChunk = given;
      return reading.promise;
    },
    end: async () => void seen.push("end of the process"),
  };
  const stream = new Writable({
    write(chunk, _, done) {
      seen.push(String(chunk));
      done();
    },
    final(done) {
      seen.push("end of the response");
      done();
    },
  });
  const writeHead = (status: number, headers: object) => void seen.push([status, headers]);
  const response = Object.assign(stream, { writeHead }) as unknown as ServerResponse;
  const sent = sendDownload(
    download,
    response,
    { name: "value" },
    {
      start: async () => true,
      onRead: (bytes) => void seen.push(bytes),
      onError: (error) => void seen.push(error),
      ...events,
    },
  );
  const chunk = (text: string) =>
    new Promise<void>((resolve) => {
      onChunk(Buffer.from(text), resolve);
    });
  const flushPromises = () => new Promise(setImmediate);
  return { seen, sent, chunk, reading, written, response, flushPromises };
}

const head = [200, { name: "value" }];

it("sends the headers before the first byte, counts the bytes, and ends the response and the process", async () => {
  const others = vi.getTimerCount(); // of files before this one in the same process
  const { seen, sent, chunk, reading, written } = sending();
  await chunk("one");
  await chunk("three");
  expect(vi.getTimerCount()).toBe(others + 1);
  reading.resolve();
  written.resolve();
  await sent;
  expect(seen).toEqual([head, "one", "three", 8, "end of the response", "end of the process"]);
  expect(vi.getTimerCount()).toBe(others);
});

it("sends the headers of a download without a byte", async () => {
  const { seen, sent, reading, written } = sending();
  reading.resolve();
  written.resolve();
  await sent;
  expect(seen).toEqual([head, 0, "end of the response", "end of the process"]);
});

it("sends nothing if the start has answered, and ignores the failure of the ended process", async () => {
  const { seen, sent, chunk, reading, flushPromises } = sending({ start: async () => false });
  void chunk("one");
  await sent;
  reading.reject(new Error("killed"));
  await flushPromises();
  expect(seen).toEqual(["end of the process"]);
});

it.each(["start", "read", "written"])("reports an error of %s, and ends the response and the process", async (part) => {
  const error = new Error("broken");
  const { seen, sent, chunk, reading, written, flushPromises } = sending(
    part === "start" ? { start: () => Promise.reject(error) } : {},
  );
  void chunk("one");
  await flushPromises();
  if (part === "read") reading.reject(error);
  else reading.resolve();
  if (part === "written") written.reject(error);
  await sent;
  const read = part === "start" ? [] : [head, "one", 3];
  expect(seen).toEqual([...read, error, "end of the process"]);
});

it("reports no error for a client that disconnects, but its bytes, and ignores later ones", async () => {
  const { seen, sent, chunk, written, response, flushPromises } = sending();
  await chunk("one");
  response.destroy();
  await sent;
  void chunk("two");
  written.reject(new Error("killed"));
  await flushPromises();
  expect(seen).toEqual([head, "one", 3, "end of the process"]);
});

it("ends the process for a client that has disconnected before", async () => {
  const start = vi.fn(async () => true);
  const { seen, sent, chunk, response } = sending({ start });
  response.destroy();
  void chunk("one");
  await sent;
  expect(seen).toEqual(["end of the process"]);
  expect(start).not.toHaveBeenCalled();
});

it("disconnects a client that reads too slowly", async () => {
  const { seen, sent, chunk, response } = sending();
  await chunk("one");
  Object.defineProperty(response, "writableNeedDrain", { value: true });
  vi.advanceTimersByTime(59_999);
  expect(response.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(response.destroyed).toBe(true);
  await sent;
  expect(seen).toEqual([head, "one", 3, "end of the process"]);
});

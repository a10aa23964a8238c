import { zstdCompressSync } from "node:zlib";
import { EngineLostError } from "@quern/adapter";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { parseAddress } from "../../src/address.ts";
import type { HttpRequest, HttpResponse } from "../../src/protocol/http.ts";
import { sourceAt } from "../fixture.ts";

const send = vi.fn<(request: HttpRequest) => Promise<HttpResponse>>();
vi.mock("../../src/protocol/http.ts", async (load) => ({
  ...(await load<object>()),
  send: (request: HttpRequest) => send(request),
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { rowArrays } = await import("../../src/protocol/segment.ts");

const coordinator = "http://trino.example.org:8080";
const storage = "https://storage.example.org";
const { signal } = new AbortController();
const connection = {
  address: parseAddress(sourceAt(`trino://reader@trino.example.org:8080?storage=${storage}`)),
  request: () => Promise.reject(new Error("no request to the coordinator was expected")),
};

let status: number;
/** Number of rows that the last pages have announced. */
let announced: number | undefined;
beforeEach(() => {
  status = 200;
  send.mockReset();
  send.mockImplementation(async ({ url }) => ({ status, body: Buffer.from(`["${url}"]`) }));
});

/** Returns the arrays of rows of pages with these data. */
async function* arraysOf(...pages: readonly unknown[]): AsyncGenerator<AsyncIterable<Uint8Array>> {
  async function* data(): AsyncGenerator<Uint8Array> {
    for (const page of pages) yield Buffer.from(JSON.stringify(page));
  }
  const { arrays, rowCount } = rowArrays(connection, { data, signal });
  yield* arrays;
  announced = rowCount();
}

async function rowsOf(...pages: readonly unknown[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const pieces of arraysOf(...pages)) texts.push(Buffer.concat(await Array.fromAsync(pieces)).toString());
  return texts;
}

/** Fails the test if the array has no further piece. */
async function pieceOf(pieces: AsyncIterator<Uint8Array> | undefined): Promise<Uint8Array> {
  const piece = await pieces?.next();
  if (piece === undefined || piece.done) throw new Error("expected another piece");
  return piece.value;
}

/** Lets everything that waits for no one go on. */
const flushPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const spooled = (...segments: readonly object[]) => ({
  encoding: "json",
  segments: segments.map((segment) => ({ type: "spooled", ...segment })),
});
const inline = (bytes: Uint8Array | string, uncompressedSize?: number, encoding = "json") => ({
  encoding,
  segments: [{ type: "inline", data: Buffer.from(bytes).toString("base64"), metadata: { uncompressedSize } }],
});

it("yields an array of rows as it is", async () => {
  expect(await rowsOf([[1], [2]])).toEqual(["[[1],[2]]"]);
  expect(await rowsOf({ encoding: "json", segments: [] })).toEqual([]);
});

it("counts the rows that its segments announce, unless a part comes without their number", async () => {
  const counted = (rowsCount?: number) => spooled({ uri: `${storage}/1`, metadata: { rowsCount } });
  const countOf = (...pages: readonly unknown[]) => rowsOf(...pages).then(() => announced);
  expect(await countOf(counted(2), counted(3))).toBe(5);
  expect(await countOf()).toBe(0);
  expect(await countOf(counted(2), counted())).toBeUndefined();
  expect(await countOf(counted(2), [[1]], counted(3))).toBeUndefined();
});

it("fetches segments for up to 30 seconds, with all values of their headers and without compression, and acknowledges them for one second", async () => {
  const headers = { "x-key": ["a", "b"], "x-other": ["c"] };
  const [first, second] = [`${storage}/1`, `${coordinator}/2`];
  expect(await rowsOf(spooled({ uri: first, ackUri: `${storage}/ack`, headers }, { uri: second }))).toEqual([
    `["${first}"]`,
    `["${second}"]`,
  ]);
  const common = { "accept-encoding": "identity" };
  const own = { ...common, "x-key": "a,b", "x-other": "c" };
  expect(send.mock.calls.map(([request]) => request)).toEqual([
    { method: "GET", url: first, headers: own, signal, retryMs: 30_000 },
    { method: "GET", url: second, headers: common, signal, retryMs: 30_000 },
    { method: "GET", url: `${storage}/ack`, headers: own, signal, retryMs: 1_000 },
  ]);
});

const requested = (): readonly string[] => send.mock.calls.map(([{ url }]) => url.replace(`${storage}/`, ""));
const segmentsOf = (...names: readonly string[]) =>
  spooled(...names.map((name) => ({ uri: `${storage}/${name}`, ackUri: `${storage}/ack-${name}` })));

it("fetches one segment ahead, also of the next page", async () => {
  const arrays = arraysOf(segmentsOf("a", "b"), segmentsOf("c", "d"));
  for (const ahead of ["a,b", "a,b,c", "a,b,c,d"]) {
    await arrays.next();
    await flushPromises();
    expect(requested().join()).toBe(ahead);
  }
});

it("acknowledges a segment once all of its bytes were taken, one at a time, and waits for the last one", async () => {
  const answers: (() => void)[] = [];
  send.mockImplementation(async ({ url }) => {
    if (url.includes("ack")) await new Promise<void>((resolve) => answers.push(resolve));
    return { status, body: Buffer.from("[1]") };
  });
  const arrays = arraysOf(segmentsOf("a", "b"));
  const acks = (): string =>
    requested()
      .filter((name) => name.startsWith("ack"))
      .join();
  const first = (await arrays.next()).value[Symbol.asyncIterator]();
  await first.next();
  await flushPromises();
  expect(acks()).toBe("");
  expect(await first.next()).toMatchObject({ done: true });
  expect(acks()).toBe("ack-a");
  const second = (await arrays.next()).value[Symbol.asyncIterator]();
  await second.next();
  const taken = second.next();
  await flushPromises();
  expect(acks()).toBe("ack-a");
  answers.shift()?.();
  await taken;
  expect(acks()).toBe("ack-a,ack-b");
  const end = arrays.next();
  expect(await Promise.race([end, flushPromises()])).toBeUndefined();
  answers.shift()?.();
  expect(await end).toMatchObject({ done: true });
});

it("reports a failed acknowledgement with the next one", async () => {
  send.mockImplementation(async ({ url }) => {
    if (url.endsWith("ack-a")) throw new RangeError("a defect");
    return { status, body: Buffer.from("[1]") };
  });
  const arrays = arraysOf(segmentsOf("a", "b"));
  await Array.fromAsync((await arrays.next()).value);
  const second = (await arrays.next()).value;
  await flushPromises();
  await expect(Array.fromAsync(second)).rejects.toThrow("a defect");
  expect(requested()).toEqual(["a", "b", "ack-a"]);
});

it("acknowledges no segment that the caller gives up, or that is damaged", async () => {
  for await (const pieces of arraysOf(segmentsOf("a"))) for await (const _ of pieces) break;
  const wrong = { ...segmentsOf("b").segments[0], metadata: { uncompressedSize: 1 } };
  await expect(rowsOf(spooled(wrong))).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
  await flushPromises();
  expect(requested()).toEqual(["a", "b"]);
});

it.each([199, 300, 404])("loses the query if a segment has the status %i", async (code) => {
  status = code;
  const message = `A segment of the result cannot be fetched: ${storage} answered with the HTTP status ${code}.`;
  await expect(rowsOf(spooled({ uri: `${storage}/1` }))).rejects.toThrow(new EngineLostError(message));
});

it.each([200, 299])("accepts a segment with the status %i", async (code) => {
  status = code;
  expect(await rowsOf(spooled({ uri: `${storage}/1` }))).toHaveLength(1);
});

it("does not fail without an acknowledgement, but with a defect", async () => {
  const segment = spooled({ uri: `${storage}/1`, ackUri: `${storage}/ack` });
  const acknowledge = (error: Error) =>
    send.mockImplementation(async ({ url }) => {
      if (url.endsWith("ack")) throw error;
      return { status, body: Buffer.from("[]") };
    });
  acknowledge(new EngineLostError("lost"));
  expect(await rowsOf(segment)).toEqual(["[]"]);
  acknowledge(new RangeError("a defect"));
  await expect(rowsOf(segment)).rejects.toThrow("a defect");
});

it.each([
  ["text", "x"],
  ["null", null],
  ["an object without segments", { encoding: "json" }],
  ["an object without an encoding", { segments: [] }],
  ["an encoding that is no text", { encoding: 1, segments: [] }],
  ["segments that are no list", { encoding: "json", segments: {} }],
  ["a segment without an address", spooled({})],
])("refuses %s", async (_, data) => {
  await expect(rowsOf(data)).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
});

it.each([
  ["plain", inline("[1]", 3)],
  ["of an unknown size", inline("[1]")],
  ["compressed", inline(zstdCompressSync("[1]"), 3, "json+zstd")],
  ["compressed, of an unknown size", inline(zstdCompressSync("[1]"), undefined, "json+zstd")],
  ["not compressed, as small ones are", inline("[1]", 3, "json+zstd")],
])("decodes a segment that is %s", async (_, data) => {
  expect(await rowsOf(data)).toEqual(["[1]"]);
});

it("decodes an inline segment without data as no bytes", async () => {
  expect(await rowsOf({ encoding: "json", segments: [{ type: "inline" }] })).toEqual([""]);
});

it.each([
  ["smaller than announced", inline("[1]", 4)],
  ["larger than announced", inline("[1]", 2)],
  ["not compressed at all", inline("xyz", 3, "json+zstd")],
])("refuses a segment that is %s", async (_, data) => {
  const message = "Trino sent a segment that is damaged, or has not the announced size.";
  await expect(rowsOf(data)).rejects.toMatchObject({ failure: { name: "InvalidResponse", message } });
});

it("yields pieces of at most 256 KiB, and fails at the first one beyond the announced size", async () => {
  const compressed = zstdCompressSync(Buffer.alloc(1_000_000, "1"));
  const pieces = (size: number) => arraysOf(inline(compressed, size, "json+zstd")).next();
  const whole = await Array.fromAsync<Uint8Array>((await pieces(1_000_000)).value);
  expect(Buffer.concat(whole)).toHaveLength(1_000_000);
  expect(Math.max(...whole.map(({ length }) => length))).toBe(262_144);
  const tooLong = (await pieces(300_000)).value[Symbol.asyncIterator]();
  expect(await pieceOf(tooLong)).toHaveLength(262_144);
  await expect(tooLong.next()).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
});

it("refuses a segment that is cut off, after its first pieces, with and without an announced size", async () => {
  const rows = Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, (_, n) => [n])));
  const cut = zstdCompressSync(rows).subarray(0, -100);
  for (const size of [rows.length, undefined]) {
    const { value } = await arraysOf(inline(cut, size, "json+zstd")).next();
    const pieces = value[Symbol.asyncIterator]();
    expect(await pieceOf(pieces)).toEqual(rows.subarray(0, 262_144));
    const rest = async (): Promise<void> => {
      while (!(await pieces.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
  }
});

it("refuses a segment above 64 MiB, and one of an unknown encoding by the start of its name", async () => {
  await expect(rowsOf(inline("[1]", 67_108_865))).rejects.toMatchObject({ failure: { name: "ResultTooLarge" } });
  await expect(rowsOf(inline("[1]", 67_108_864))).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
  await expect(rowsOf(inline("xyz", 3, "é".repeat(60)))).rejects.toThrow(
    `Trino sent an unknown encoding of segments: ${"é".repeat(50)}.`,
  );
});

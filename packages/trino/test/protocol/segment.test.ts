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
beforeEach(() => {
  status = 200;
  send.mockReset();
  send.mockImplementation(async ({ url }) => ({ status, body: Buffer.from(`["${url}"]`) }));
});

async function rowsOf(data: unknown): Promise<readonly string[]> {
  const arrays = await Array.fromAsync(rowArrays(connection, Buffer.from(JSON.stringify(data)), signal));
  return arrays.map((rows) => Buffer.from(rows).toString());
}

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

it("fetches segments for up to 30 seconds, with all values of their headers, and acknowledges them for one second", async () => {
  const headers = { "x-key": ["a", "b"], "x-other": ["c"] };
  const [first, second] = [`${storage}/1`, `${coordinator}/2`];
  expect(await rowsOf(spooled({ uri: first, ackUri: `${storage}/ack`, headers }, { uri: second }))).toEqual([
    `["${first}"]`,
    `["${second}"]`,
  ]);
  const own = { "x-key": "a,b", "x-other": "c" };
  expect(send.mock.calls.map(([request]) => request)).toEqual([
    { method: "GET", url: first, headers: own, signal, retryMs: 30_000 },
    { method: "GET", url: `${storage}/ack`, headers: own, signal, retryMs: 1_000 },
    { method: "GET", url: second, headers: {}, signal, retryMs: 30_000 },
  ]);
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

it("refuses a segment above 64 MiB, and one of an unknown encoding by the start of its name", async () => {
  await expect(rowsOf(inline("[1]", 67_108_865))).rejects.toMatchObject({ failure: { name: "ResultTooLarge" } });
  await expect(rowsOf(inline("[1]", 67_108_864))).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
  await expect(rowsOf(inline("xyz", 3, "é".repeat(60)))).rejects.toThrow(
    `Trino sent an unknown encoding of segments: ${"é".repeat(50)}.`,
  );
});

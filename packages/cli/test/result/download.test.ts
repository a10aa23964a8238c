import { EventEmitter } from "node:events";
import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { createClient } from "@quern/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDownload } from "../../src/result/download.ts";

it.each([
  ["its only address", new Error("connect ECONNREFUSED 127.0.0.1:1")],
  [
    "all its addresses",
    new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1"), new Error("connect ECONNREFUSED ::1:1")]),
  ],
])("a host that refuses the connection at %s is an error with the reason", async (_, cause) => {
  const get = vi.spyOn(http, "get").mockImplementation(() => {
    const request = new EventEmitter();
    setImmediate(() => request.emit("error", cause));
    return request as http.ClientRequest;
  });
  onTestFinished(() => get.mockRestore());
  const result = {
    url: "http://127.0.0.1:1/results/link",
    expiresAt: "2026-11-20T09:45:00.000Z",
    contentType: "text/csv",
  };
  const client = createClient({
    url: "http://127.0.0.1:1",
    apiKey: "key",
    fetch: async () => Response.json({ jsonrpc: "2.0", id: 1, result }),
  });
  await expect(openDownload(client, "run_1", "csv", new AbortController().signal)).rejects.toMatchObject({
    kind: "network",
    message: expect.stringContaining("download interrupted: Error: connect ECONNREFUSED 127.0.0.1:1"),
    cause,
  });
});

describe("the download of a result", () => {
  const link = { url: "/results/link", expiresAt: "2026-11-20T09:45:00.000Z", contentType: "text/csv" };
  const answerOf = (result: unknown) => async () => Response.json({ jsonrpc: "2.0", id: 1, result });

  /** Answers the requests of a download one after another. The connection breaks at the chunk `broken`. */
  function open(
    answers: readonly { readonly statusCode: number; readonly headers?: object; readonly body?: readonly string[] }[],
    {
      signal = new AbortController().signal,
      result = link,
      module = http,
    }: Readonly<{ signal?: AbortSignal; result?: typeof link; module?: Pick<typeof http, "get"> }> = {},
  ) {
    const left = [...answers];
    const get = vi.spyOn(module, "get").mockImplementation(() => {
      const { body, headers = {}, ...rest } = left.shift() ?? { statusCode: 404 };
      const response = Object.assign(Readable.from(chunksOf(body ?? [])), { headers, ...rest });
      const request = new EventEmitter();
      setImmediate(() => request.emit("response", response));
      return request as http.ClientRequest;
    });
    onTestFinished(() => get.mockRestore());
    const client = createClient({ url: "http://127.0.0.1:1/base", apiKey: "key", fetch: answerOf(result) });
    return { get, bytes: openDownload(client, "run_1", "csv", signal) };
  }

  function* chunksOf(body: readonly string[]) {
    for (const chunk of body) {
      if (chunk === "broken") throw new Error("socket hang up");
      yield chunk;
    }
  }

  const csv = { statusCode: 200, headers: { "content-type": "Text/CSV ; charset=utf-8" }, body: ["a\n", "1\n"] };
  const busy = (after?: string) => ({ statusCode: 503, headers: after === undefined ? {} : { "retry-after": after } });
  const read = async (bytes: Promise<AsyncIterable<Uint8Array>>) => (await Array.fromAsync(await bytes)).join("");

  it("has the bytes of an answer of the right type, from the address of the service", async () => {
    const { get, bytes } = open([csv]);
    expect(await read(bytes)).toBe("a\n1\n");
    expect(String(get.mock.calls[0]?.[0])).toBe("http://127.0.0.1:1/results/link");
  });

  it("uses TLS for an address of https", async () => {
    const { get, bytes } = open([csv], { result: { ...link, url: "https://files.example/link" }, module: https });
    expect(await read(bytes)).toBe("a\n1\n");
    expect(String(get.mock.calls[0]?.[0])).toBe("https://files.example/link");
  });

  it.each([
    [{ statusCode: 200 }, "HTTP 200 with no content type"],
    [{ statusCode: 200, headers: { "content-type": "text/html" } }, "HTTP 200 with text/html"],
    [{ ...csv, statusCode: 206 }, "HTTP 206"],
    [{ ...busy("0"), statusCode: 500 }, "HTTP 500"],
    [busy(), "HTTP 503"],
    [busy("60"), "HTTP 503"],
    [busy("Wed, 21 Oct 2026 07:28:00 GMT"), "HTTP 503"],
  ])("fails at once for %j", async (answer, text) => {
    const { get, bytes } = open([answer, csv]);
    const message = `download failed: the service answered ${text}`;
    const { statusCode: status } = answer;
    await expect(bytes).rejects.toMatchObject({ kind: "http", message, queryRunId: "run_1", status });
    expect(get).toHaveBeenCalledOnce();
  });

  it("waits for a busy service for less than a minute", async () => {
    const { get, bytes } = open([busy("0"), busy("0"), csv]);
    // By the number of requests, since others read the clock too.
    const clock = () => [0, 59_999, 60_000][get.mock.calls.length] ?? 0;
    const now = vi.spyOn(performance, "now").mockImplementation(clock);
    onTestFinished(() => now.mockRestore());
    await expect(bytes).rejects.toMatchObject({ status: 503 });
  });

  it("waits as long as a busy service says, unless the caller aborts", async () => {
    const caller = new AbortController();
    const { get, bytes } = open([busy("30"), csv], { signal: caller.signal });
    const refused = expect(bytes).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(get).toHaveBeenCalledOnce());
    caller.abort();
    await refused;
    expect(get).toHaveBeenCalledOnce();
  });

  it("that breaks off is an error of the connection with the run", async () => {
    const { bytes } = open([{ ...csv, body: ["a\n", "broken"] }]);
    await expect(read(bytes)).rejects.toMatchObject({
      kind: "network",
      message: "download interrupted: Error: socket hang up",
      queryRunId: "run_1",
    });
  });

  it("that the caller aborts fails with the cause alone", async () => {
    const caller = new AbortController();
    const { bytes } = open([{ ...csv, body: ["a\n", "broken"] }], { signal: caller.signal });
    const opened = await bytes;
    caller.abort();
    await expect(Array.fromAsync(opened)).rejects.toMatchObject({ name: "Error", message: "socket hang up" });
  });
});

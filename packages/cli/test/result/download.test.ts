import { EventEmitter } from "node:events";
import http from "node:http";
import { createClient } from "@quern/client";
import { expect, it, onTestFinished, vi } from "vitest";
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

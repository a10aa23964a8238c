import type { IncomingMessage, ServerResponse } from "node:http";
import { UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { createDownloadRoute, type DownloadRouteDependencies } from "../../src/downloads/download-route.ts";
import type { LinkedDownload } from "../../src/downloads/link.ts";
import { createTestClock } from "../fixture.ts";

const clock = createTestClock();
const reader = { tenantId: "t", userId: "u", apiKeyId: "key_1" };
const run: RunRecord = {
  ...createRun({ ...submission().run, id: "run_a" }, clock.now()),
  state: "QUERY_STATE_SUCCESS",
  result: { columns: [], rowCount: 1, totalBytes: 7 },
  expiresAt: clock.now() + 9_000,
};

interface Parts {
  readonly link?: Partial<LinkedDownload> | undefined;
  readonly run?: RunRecord | undefined;
  readonly isUsed?: boolean;
  readonly use?: () => Promise<boolean>;
  readonly downloadUrl?: (run: RunRecord, link: object) => Promise<string | undefined>;
  readonly read?: () => Promise<unknown>;
  readonly open?: () => Promise<undefined>;
  readonly request?: { readonly method?: string; readonly url?: string; readonly headers?: Record<string, string> };
  readonly allowedOrigins?: readonly string[];
  readonly headersSent?: boolean;
  readonly fromStorage?: boolean;
  readonly release?: () => Promise<void>;
}

/** Returns the answer of the route, and what it recorded. */
async function answered(parts: Parts = {}) {
  const [refused, read, release] = [vi.fn(), vi.fn(), vi.fn(parts.release ?? (async () => {}))];
  const link = { runId: "run_a", format: "parquet", expiresAt: clock.now() + 120_000, reader, ...parts.link } as const;
  const tokens: string[] = [];
  const dependencies = {
    clock,
    links: {
      async read(token: string) {
        tokens.push(token);
        return token === "token" ? link : undefined;
      },
    },
    store: {
      links: { isUsed: async () => parts.isUsed ?? false, use: parts.use ?? (async () => true) },
      runs: { run: parts.read ?? (async () => ("run" in parts ? parts.run : run)) },
    },
    results: { open: async () => ({ paths: ["a"], release }), downloadUrl: parts.downloadUrl },
    downloads: { open: parts.open ?? (async () => undefined) },
    telemetry: { refused, read },
  } as unknown as DownloadRouteDependencies;
  const logged: unknown[] = [];
  const log = { error: (...entry: unknown[]) => void logged.push(entry) };
  const route = createDownloadRoute(dependencies, {
    log,
    headersOf: ({ headers }) => new Headers(headers as Record<string, string>),
    allowedOrigins: parts.allowedOrigins,
    fromStorage: parts.fromStorage ?? parts.downloadUrl !== undefined,
  });
  const request = { method: "GET", url: "/results/token", headers: {}, rawHeaders: [], ...parts.request };
  const headers: Record<string, unknown> = {};
  const ended = Promise.withResolvers<unknown>();
  let status = 0;
  const response = {
    headersSent: parts.headersSent ?? false,
    setHeader: (name: string, value: unknown) => Object.assign(headers, { [name]: value }),
    writeHead(given: number, more: object = {}) {
      status = given;
      Object.assign(headers, more);
      return response;
    },
    end: (text?: string) => ended.resolve(text === undefined ? undefined : JSON.parse(text)),
    destroy: () => ended.resolve("destroyed"),
  };
  if (!route(request as unknown as IncomingMessage, response as unknown as ServerResponse)) return { isRouted: false };
  const body = await ended.promise;
  await new Promise(setImmediate);
  return { isRouted: true, status, headers, body, refused, read, release, logged, tokens };
}

const error = (code: number, message: unknown) => ({ jsonrpc: "2.0", id: null, error: { code, message } });

it("leaves other paths to other routes", async () => {
  expect(await answered({ request: { url: "/json-rpc" } })).toEqual({ isRouted: false });
});

it("answers OPTIONS for pages of the allowed origins, and refuses other methods", async () => {
  const options = { request: { method: "OPTIONS", headers: { origin: "https://a.example" } } };
  const { status, headers } = await answered({ ...options, allowedOrigins: ["https://a.example"] });
  expect(status).toBe(204);
  expect(headers).toMatchObject({
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-origin": "https://a.example",
    "access-control-expose-headers": "content-disposition, retry-after, x-request-id",
  });
  const others = await answered({ ...options, allowedOrigins: ["https://b.example"] });
  expect(others.headers?.["access-control-allow-origin"]).toBeUndefined();
  const post = await answered({ request: { method: "POST" } });
  expect([post.status, post.headers?.allow]).toEqual([405, "GET, HEAD"]);
  expect(post.body).toEqual(error(-32_600, "Invalid Request: expected GET or HEAD, received POST"));
});

it("refuses a link that is invalid, and one that was used", async () => {
  const invalid = await answered({ request: { url: "/results/other?a=1" } });
  expect([invalid.status, invalid.tokens]).toEqual([403, ["other"]]);
  expect(invalid.headers?.["content-type"]).toBe("application/json");
  expect(invalid.body).toEqual(error(expect.any(Number) as never, "Invalid or expired link; request a new one"));
  expect(invalid.refused?.mock.calls).toEqual([[{ principal: undefined, headers: expect.anything() }, { link: true }]]);
  const used = await answered({ link: { id: "once" }, isUsed: true });
  expect([used.status, used.body]).toEqual([410, error(expect.any(Number) as never, "Used link; request a new one")]);
  const details = { link: true, runId: "run_a" };
  expect(used.refused?.mock.calls).toEqual([[{ principal: reader, headers: expect.anything() }, details]]);
  expect((await answered({ isUsed: true, request: { method: "HEAD" } })).status).toBe(200);
});

it.each([
  ["unknown", undefined],
  ["without a result", { ...run, result: null }],
  ["expired", { ...run, expiresAt: clock.now() }],
])("answers HTTP 410 for a run that is %s", async (_, found) => {
  const { status, body } = await answered({ run: found });
  expect([status, body]).toMatchObject([410, { error: { code: -32_172 } }]);
});

it("answers HEAD with the headers of the file, and releases it", async () => {
  const { status, headers, body, release } = await answered({ request: { method: "HEAD" } });
  expect([status, body, release?.mock.calls.length]).toEqual([200, undefined, 1]);
  expect(headers).toMatchObject({
    "content-type": "application/vnd.apache.parquet",
    "content-disposition": 'attachment; filename="run_a.parquet"',
    "accept-ranges": "none",
    "cache-control": "private, no-store",
  });
});

it("answers HTTP 503 for too many downloads, a full disk and a store that cannot be reached", async () => {
  const many = await answered();
  expect([many.status, many.headers?.["retry-after"], many.release?.mock.calls.length]).toEqual([503, "5", 1]);
  expect(many.body).toEqual(error(-32_603, "Too many downloads at the same time; retry later"));
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  const noSpace = await answered({ open: () => Promise.reject(full) });
  expect([noSpace.status, noSpace.headers?.["retry-after"], noSpace.logged]).toEqual([503, "10", []]);
  const away = await answered({ read: () => Promise.reject(new UnavailableError("away")) });
  expect([away.status, away.body, away.logged]).toMatchObject([503, { error: { code: -32_178 } }, []]);
});

it("logs another error, and answers HTTP 500 or closes a response that has begun", async () => {
  const cause = new Error("broken");
  const request = { headers: { "x-request-id": "request_1" } };
  const failed = await answered({ open: () => Promise.reject(cause), request });
  expect([failed.status, failed.release?.mock.calls.length]).toEqual([500, 1]);
  expect(failed.logged).toEqual([["a download failed", cause, { requestId: "request_1" }]]);
  const begun = await answered({ open: () => Promise.reject(cause), headersSent: true });
  expect([begun.status, begun.body]).toEqual([0, "destroyed"]);
  const unavailable = () => Promise.reject(new UnavailableError("away"));
  expect((await answered({ read: unavailable, headersSent: true })).body).toBe("destroyed");
});

it("redirects to the storage that has the file, and records the read of its bytes", async () => {
  const asked: unknown[] = [];
  const downloadUrl = async (_: RunRecord, given: object) => {
    asked.push(given);
    return "https://storage.example/a";
  };
  const many = await answered({ downloadUrl, link: { expiresAt: clock.now() + 61_001 } });
  expect([many.status, many.headers?.location, many.headers?.["cache-control"]]).toEqual([
    302,
    "https://storage.example/a",
    "private, no-store",
  ]);
  expect(many.read?.mock.calls).toEqual([[{ principal: reader, headers: expect.anything() }, "run_a", 7, "parquet"]]);
  await answered({ downloadUrl, link: { id: "once" } });
  await answered({ downloadUrl, link: { id: "once", expiresAt: clock.now() + 1_500 } });
  const file = { format: "parquet", contentDisposition: 'attachment; filename="run_a.parquet"' };
  expect(asked).toEqual([62, 60, 2].map((expiresInSeconds) => ({ ...file, expiresInSeconds })));
  const head = await answered({ downloadUrl, request: { method: "HEAD" } });
  expect([head.status, asked.length]).toEqual([200, 3]);
  const lost = await answered({ downloadUrl, link: { id: "once" }, use: async () => false });
  expect([lost.status, lost.read?.mock.calls.length]).toEqual([410, 0]);
  // The route sends the file itself, for which there are too many downloads here.
  expect((await answered({ downloadUrl: async () => undefined })).status).toBe(503);
  expect((await answered({ fromStorage: true })).status).toBe(503);
});

it("logs a file that cannot be released", async () => {
  const cause = new Error("broken");
  const { logged } = await answered({ request: { method: "HEAD" }, release: () => Promise.reject(cause) });
  expect(logged).toEqual([["a download failed", cause, { requestId: undefined }]]);
});

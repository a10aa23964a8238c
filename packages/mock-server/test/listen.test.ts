import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createMockServer } from "../src/index.ts";
import { type Listening, listen } from "../src/listen.ts";

let server: Listening;
beforeAll(async () => {
  server = await listen(createMockServer(), { allowedHosts: ["mock.example"] });
});
afterAll(() => server.close());

function send(
  path: string,
  headers: Record<string, string> = {},
  method = "POST",
  base = server.url,
): Promise<readonly [number | undefined, string]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listNamespaces", params: [{}] });
  return new Promise((resolve, reject) => {
    const all = { "content-type": "application/json", ...headers };
    const sent = request(`${base}${path}`, { method, headers: all }, async (response) =>
      resolve([response.statusCode, await text(response)]),
    );
    sent.on("error", reject).end(method === "POST" ? body : undefined);
  });
}

describe("a mock that listens", () => {
  it("has the addresses of its port", () => {
    const { url, adminUrl, port } = server;
    expect([url, adminUrl]).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/admin`]);
  });

  it.each([
    ["GET", "/healthz", 200, '{"status":"ok"}\n'],
    ["HEAD", "/healthz", 200, ""],
  ])("answers %s %s", async (method, path, status, body) => {
    expect(await send(path, {}, method)).toEqual([status, body]);
  });

  it.each(["/admin/json-rpc", "//admin/json-rpc"])("has its administration at %s", async (path) => {
    const [status, body] = await send(path);
    expect([status, JSON.parse(body)]).toMatchObject([200, { result: { apiKeys: [expect.stringMatching(/^mock_/)] } }]);
  });

  it.each(["/administration/json-rpc", "/x/admin/json-rpc", "/healthz/"])("has nothing at %s", async (path) => {
    expect((await send(path))[0]).toBe(404);
  });

  it("refuses administration by a web page, and under the name of another host", async () => {
    expect(await send("/admin/json-rpc", { origin: "http://127.0.0.1" })).toEqual([403, ""]);
    expect((await send("/admin/json-rpc", { host: "mock.example:1" }))[0]).toBe(200);
    expect(await send("/admin/json-rpc", { host: "evil.example:1" })).toEqual([
      403,
      "Host not allowed: evil.example; add it to allowedHosts of listen, or to --allowed-hosts of quern mock.\n",
    ]);
  });

  it("serves the console if its package is installed, and not to the name of another host", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-console-"));
    const before = process.cwd();
    onTestFinished(async () => {
      process.chdir(before);
      await rm(folder, { recursive: true });
    });
    const files = {
      "package.json": '{ "name": "@quern/console", "exports": { "./package.json": "./package.json" } }',
      "dist/index.html": "<title>Page</title>",
    };
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, "node_modules/@quern/console", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    process.chdir(folder);
    await using mock = await listen(createMockServer());
    const get = (path: string, headers: Record<string, string> = {}) => send(path, headers, "GET", mock.url);
    expect(await get("/console/")).toEqual([200, "<title>Page</title>"]);
    expect((await get("/", { accept: "text/html" }))[0]).toBe(302);
    expect((await get("/console/package.json"))[0]).toBe(404);
    expect(await get("/console/", { host: "evil.example" })).toEqual([
      403,
      expect.stringMatching(/^Host not allowed: evil\.example; [^\n]*\n$/),
    ]);
    expect((await get("/"))[0]).toBe(404);
    expect((await get("/consoles"))[0]).toBe(404);
  });

  it("frees its port when it is closed, and cannot share it", async () => {
    const first = await listen(createMockServer());
    await expect(listen(createMockServer(), { port: first.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await first.close();
    const second = await listen(createMockServer(), { port: first.port });
    expect(second.port).toBe(first.port);
    await second[Symbol.asyncDispose]();
  });

  it.each([
    [undefined, {}, "listen: expected a mock server as the first argument, such as createMockServer()"],
    [{ handler: {} }, {}, "listen: expected a mock server as the first argument, such as createMockServer()"],
    [createMockServer(), { port: "80" }, "listen: invalid port"],
    [createMockServer(), { host: 5 }, "listen: invalid host"],
    [createMockServer(), { allowedHosts: [5] }, "listen: invalid allowedHosts.0"],
  ])("%# refuses values that are not valid", async (mock, options, message) => {
    await expect(listen(mock as never, options as never)).rejects.toThrow(message);
  });
});

import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPage } from "../src/page.ts";

const html = "<!doctype html><title>A page</title>";
const script = `"${"abc ".repeat(1_000)}";`;
let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-page-"));
  const directory = join(folder, "dist");
  await mkdir(join(directory, "assets"), { recursive: true });
  await mkdir(join(directory, ".vite"));
  const files = {
    "secret.txt": "outside",
    "dist/index.html": html,
    "dist/icon.svg": "<svg/>",
    "dist/.vite/manifest.json": "{}",
    "dist/assets/index-B_9x-aZ0.js": script,
    "dist/assets/late-00000000.js": "late",
    "dist/assets/plain.css": "a {}",
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await symlink(join(folder, "secret.txt"), join(directory, "link.txt"));
  await symlink(folder, join(directory, "up"));
  const refusal = ({ headers }: { headers: IncomingHttpHeaders }) =>
    headers.host === "evil.example" ? "Host not allowed." : undefined;
  const page = await openPage({ directory, path: "/console/", refusal });
  server = createServer((incoming, response) => {
    if (!page(incoming, response)) response.writeHead(404).end("no page");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Sends a path as it is: `fetch` would normalize it. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const sent = request({ port, path, method, headers }).end();
  const [response] = await once(sent, "response");
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers as IncomingHttpHeaders, bytes, body: `${bytes}` };
}

it("serves the page with headers that allow its own files only", async () => {
  const { status, headers, body } = await get("/console/?a=b");
  expect([status, body]).toEqual([200, html]);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-length": `${html.length}`,
    "cache-control": "no-cache",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(headers).not.toHaveProperty("access-control-allow-origin");
});

it.each([
  ["/console/index.html", "text/html; charset=utf-8", "no-cache"],
  ["/console/icon.svg", "image/svg+xml", "no-cache"],
  ["/console/assets/plain.css", "text/css; charset=utf-8", "no-cache"],
  ["/console/assets/index-B_9x-aZ0.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
])("serves %s as %s with the cache control %s", async (path, type, cacheControl) => {
  const { status, headers } = await get(path);
  expect(status).toBe(200);
  expect(headers).toMatchObject({ "content-type": type, "cache-control": cacheControl });
});

it("compresses large files for clients that accept gzip", async () => {
  const path = "/console/assets/index-B_9x-aZ0.js";
  for (const accepted of ["gzip", "br, gzip;q=0.5", "GZIP ; q=1"]) {
    const { headers, bytes } = await get(path, { "accept-encoding": accepted });
    expect(headers).toMatchObject({ "content-encoding": "gzip", "content-length": `${bytes.length}` });
    expect(headers.vary).toBe("accept-encoding");
    expect(gunzipSync(bytes).toString()).toBe(script);
  }
  for (const accepted of ["br", "gzip;q=0", "gzip; q=0.0", "xgzip"]) {
    const { headers, body } = await get(path, { "accept-encoding": accepted });
    expect([headers["content-encoding"], body]).toEqual([undefined, script]);
  }
  expect((await get("/console/", { "accept-encoding": "gzip" })).headers).not.toHaveProperty("content-encoding");
});

it("answers 304 to a client that has the file, and HEAD without a body", async () => {
  const { headers } = await get("/console/");
  const etag = `${headers.etag}`;
  for (const known of [etag, `"other", ${etag}`, "*", etag.replace("W/", "")]) {
    const answer = await get("/console/", { "if-none-match": known });
    expect([answer.status, answer.body, answer.headers.etag]).toEqual([304, "", etag]);
  }
  expect((await get("/console/", { "if-none-match": '"other"' })).status).toBe(200);
  expect((await get("/console/icon.svg")).headers.etag).not.toBe(etag);
  const head = await get("/console/", {}, "HEAD");
  expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", `${html.length}`]);
});

it.each([
  "/console/nothing.js",
  "/console/assets",
  "/console/assets/",
  "/console/link.txt",
  "/console/up/secret.txt",
  "/console/.vite/manifest.json",
  "/console/../secret.txt",
  "/console/assets/../../secret.txt",
  "/console/%2e%2e/secret.txt",
  "/console/..%2fsecret.txt",
  "/console/..%5csecret.txt",
  "/console/..\\secret.txt",
  "/console/index.html%00",
  "/console/index.html%00.js",
  "/console//index.html",
  "/console/constructor",
])("has nothing at %s", async (path) => {
  const { status, body, headers } = await get(path);
  expect([status, body]).toEqual([404, "Not found.\n"]);
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
});

it.each(["\0", "/console/\0"])("refuses a NUL in the path %j", async (path) => {
  const socket = connect(port, "127.0.0.1");
  socket.end(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
});

it("leads browsers from / and from the path without a slash to the page, below any prefix", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  for (const [path, method] of [
    ["/", "GET"],
    ["/?a", "HEAD"],
    ["/console", "GET"],
    ["/console?a", "GET"],
  ] as const) {
    const { status, headers } = await get(path, { accept }, method);
    expect([status, headers.location]).toEqual([302, "console/"]);
    expect(new URL(`${headers.location}`, `https://example.com/prefix${path}`).pathname).toBe("/prefix/console/");
  }
});

it.each([
  ["GET", "/", "*/*"],
  ["GET", "/", undefined],
  ["POST", "/", "text/html"],
  ["GET", "/consoles", "text/html"],
  ["GET", "/json-rpc", "text/html"],
  ["GET", "/healthz", "text/html"],
])("does not answer %s %s of a client that accepts %s", async (method, path, accept) => {
  const { status, body } = await get(path, accept === undefined ? {} : { accept }, method);
  expect([status, body]).toEqual([404, "no page"]);
});

it("refuses other methods and hosts", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const { status, headers } = await get("/console/", {}, method);
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  }
  for (const path of ["/console/", "/console", "/console/icon.svg"]) {
    const { status, body } = await get(path, { host: "evil.example" });
    expect([status, body]).toEqual([403, "Host not allowed.\n"]);
  }
});

it("answers 500 for a file that cannot be read, and serves it again once it can", async () => {
  const path = join(folder, "dist/assets/late-00000000.js");
  await rm(path);
  expect((await get("/console/assets/late-00000000.js")).status).toBe(500);
  await writeFile(path, "late");
  expect((await get("/console/assets/late-00000000.js")).body).toBe("late");
});

it("lists its files when it is opened, and needs an index.html", async () => {
  await writeFile(join(folder, "dist/new.txt"), "new");
  expect((await get("/console/new.txt")).status).toBe(404);
  await expect(openPage({ directory: join(folder, "dist/assets"), path: "/console/" })).rejects.toThrow(
    /^Invalid page: .* has no index\.html\.$/,
  );
});

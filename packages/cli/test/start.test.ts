import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { binary } from "./quern.ts";

const mock = createMockServer();
const requests: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  requests.push(`${request.method} ${request.url} ${JSON.parse(body).method}`);
  const headers = { "x-api-key": mock.apiKey, "content-type": "application/json" };
  const reply = await mock.fetch("http://127.0.0.1/json-rpc", { method: "POST", headers, body });
  response.end(await reply.text());
});
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  folder = await mkdtemp(join(tmpdir(), "quern-start-"));
  env = { QUERN_URL: `http://127.0.0.1:${port}`, QUERN_API_KEY: mock.apiKey, HOME: folder };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Runs the built command line, and returns the modules that it has loaded: those of Node by name, and the others as addresses. */
async function loadedModules(...words: string[]): Promise<{ readonly stdout: string; readonly modules: string[] }> {
  const list = join(folder, "modules.cjs");
  await writeFile(
    list,
    `process.on("exit", () => process._rawDebug(JSON.stringify(process.moduleLoadList)));
     require("node:module").registerHooks({ load(url, context, next) { process._rawDebug(url); return next(url, context); } });`,
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--require", list, binary, ...words], {
    env,
  });
  const lines = stderr.trim().split("\n");
  const builtin: string[] = JSON.parse(lines.pop() ?? "[]");
  return { stdout, modules: [...lines, ...builtin.map((line) => line.replace(/^.* /, ""))] };
}

it("runs a short query with one request and two files, and without modules of Node that take time to load", async () => {
  const { stdout, modules } = await loadedModules("query", "select 1");
  expect(stdout).not.toBe("");
  expect(requests).toEqual(["POST /json-rpc createQueryRun"]);
  expect(modules.filter((name) => name.startsWith("file:")).map((url) => url.replace(/^.*\//, ""))).toEqual([
    "quern.js",
    "main.js",
  ]);
  expect(modules).toContain("http");
  const slow =
    /^(https|tls|zlib|crypto|readline|worker_threads|child_process|internal\/crypto\/webcrypto|internal\/deps\/undici.*)$/;
  expect(modules.filter((name) => slow.test(name))).toEqual([]);
});

it("prints its version without a module for requests, and keeps compiled code in the cache of the user", async () => {
  const { stdout, modules } = await loadedModules("--version");
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  expect(modules).not.toContain("http");
  expect(await readdir(join(folder, ".cache/quern/compile-cache"))).toHaveLength(1);
});

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiKey, startServer, type TestServer } from "../fixture.ts";

const run = promisify(execFile);
const versions = { conformance: "0.2.0-alpha.12", inspector: "2.12.0" };
const folder = join(homedir(), ".cache/quern-test", `mcp-${versions.conformance}-${versions.inspector}`);
const packages = join(folder, "node_modules/@modelcontextprotocol");
const conformance = join(packages, "conformance/dist/index.js");
const inspector = join(packages, "inspector/clients/launcher/build/index.js");

let server: TestServer;
let shim: Server;
let shimUrl: string;

beforeAll(async () => {
  await install();
  server = await startServer({ mcp: true, log: { error: () => {} } });
  // The conformance suite cannot send a key.
  shim = createServer((incoming, answer) => {
    const { url = "", method, headers } = incoming;
    const sent = request(server.url + url, { method, headers: { ...headers, "x-api-key": apiKey } });
    sent.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => shim.listen(0, "127.0.0.1", resolve));
  const { port } = shim.address() as AddressInfo; // it listens on a port
  shimUrl = `http://127.0.0.1:${port}/mcp`;
});
afterAll(async () => {
  shim?.close();
  await server?.[Symbol.asyncDispose]();
});

/** Installs the programs once for a machine. */
async function install(): Promise<void> {
  if (existsSync(conformance) && existsSync(inspector)) return;
  await mkdir(folder, { recursive: true });
  const wanted = Object.entries(versions).map(([name, version]) => `@modelcontextprotocol/${name}@${version}`);
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...wanted]);
}

/**
 * Scenarios that the service passes. The others need tools, prompts or resources of a fixture server: four of
 * `server-stateless`, three of `caching`, and all of prompts, resources, sampling and elicitation.
 */
const scenarios = [
  ["tools-list", []],
  ["dns-rebinding-protection", []],
  ["http-header-validation", []],
  ["server-sse-multiple-streams", []],
  ["server-initialize", ["--spec-version", "2025-11-25"]],
  ["ping", ["--spec-version", "2025-11-25"]],
  ["tools-list", ["--spec-version", "2025-11-25"]],
] as const;

it.each(scenarios)("passes the scenario %s %j of the conformance suite", async (scenario, more) => {
  const args = [conformance, "server", "--url", shimUrl, "--scenario", scenario, ...more];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});

describe.each(["legacy", "modern"])("the inspector in the %s era", (era) => {
  const inspect = (...words: readonly string[]) => {
    const target = ["--cli", `${server.url}/mcp`, "--transport", "http", "--header", `x-api-key: ${apiKey}`];
    return run(process.execPath, [inspector, ...target, "--protocol-era", era, ...words]);
  };

  it("lists the tools without a warning about their schemas", async () => {
    const { stdout, stderr } = await inspect("--method", "tools/list", "--strict");
    expect(stdout + stderr).not.toMatch(/Warning:|[1-9]\d* warnings/);
    expect(stdout).toContain('"read_rows"');
  });

  it("calls a tool, and exits with 5 for an error", async () => {
    const call = (sql: string) => inspect("--method", "tools/call", "--tool-name", "query", "--tool-arg", `sql=${sql}`);
    expect((await call("select 40 + 2 as answer")).stdout).toContain('"totalRows": 1');
    await expect(call("select nothing")).rejects.toMatchObject({ code: 5 });
  });
});

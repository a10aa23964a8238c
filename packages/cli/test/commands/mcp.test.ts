import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMockServer } from "@quern/mock-server";
import { describe, expect, it } from "vitest";
import { binary, quern, quernOn } from "../quern.ts";

describe.each([
  ["legacy", {}],
  ["modern", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
] as const)("quern mcp for a client of the %s era", (_, options) => {
  it("lists tools, and calls them with the key of the environment", async () => {
    const mock = createMockServer({ clock: { auto: true } });
    mock.when("select 1 as n").rows([{ n: 1 }]);
    await using on = await quernOn(mock);
    const client = new Client({ name: "agent", version: "1.0.0" }, options);
    const args = [binary, "mcp", "--tool", "query", "--tool", "read_rows"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: on.env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["query", "read_rows"]);
    const { structuredContent } = await client.callTool({ name: "query", arguments: { sql: "select 1 as n" } });
    expect(structuredContent).toMatchObject({ rows: [[1]], totalRows: 1, truncatedBy: null });
    await client.close();
  });
});

it("writes only messages to stdout, and withdraws unfinished queries when stdin ends", async () => {
  const mock = createMockServer();
  mock
    .when("slow")
    .rows([{ n: 1 }])
    .after("30s");
  await using on = await quernOn(mock);
  const child = spawn(process.execPath, [binary, "mcp"], { env: on.env, stdio: ["pipe", "pipe", "pipe"] });
  const output = text(child.stdout);
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "agent", version: "1.0.0" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "query", arguments: { sql: "slow" } } });
  await expect.poll(() => mock.history.callsOf("createQueryRun").length, { timeout: 10_000 }).toBe(1);
  child.stdin.end();
  const [status] = await once(child, "exit");
  expect(status).toBe(0);
  expect(mock.history.callsOf("cancelQueryRun")).toHaveLength(1);
  for (const line of (await output).trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

it("takes the address and the key of a profile", async () => {
  const mock = createMockServer({ clock: { auto: true } });
  mock.when("select 1 as n").rows([{ n: 1 }]);
  await using on = await quernOn(mock);
  const { QUERN_URL: url, QUERN_API_KEY: key } = on.env;
  const folder = await mkdtemp(join(tmpdir(), "quern-mcp-"));
  const config = join(folder, "config.toml");
  await writeFile(config, `[profiles.a]\nurl = "${url}"\napi_key = "${key}"\n`, { mode: 0o600 });
  const client = new Client({ name: "agent", version: "1.0.0" });
  const args = [binary, "mcp", "--profile", "a"];
  const env = { QUERN_CLI_CONFIG: config, QUERN_URL: "http://127.0.0.1:1", QUERN_API_KEY: "other" };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  const { structuredContent } = await client.callTool({ name: "query", arguments: { sql: "select 1 as n" } });
  expect(structuredContent).toMatchObject({ rows: [[1]] });
  await client.close();
  await rm(folder, { recursive: true });
});

it("needs a key, and names of tools that exist", async () => {
  expect(await quern(["mcp"])).toMatchObject({ status: 3, stdout: "" });
  const { status, stderr } = await quern(["mcp", "--tool", "drop"], { QUERN_API_KEY: "k" });
  expect([status, stderr]).toEqual([2, expect.stringContaining("unknown tool: drop; use one of query, read_rows")]);
});

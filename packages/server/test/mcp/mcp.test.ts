import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { apiKey, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";
import { caller } from "../identity/callers.ts";
import { connectAgent, type Era } from "./agents.ts";

const jwt = { issuer: "https://id.example.com", audience: "quern-mcp", tenant: "acme" };
const slow = "select count(*) as n from range(100000) a, range(100000) b where (a.range * b.range) % 7 = 3";
let server: TestServer;
let sign: (claims: object) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" }] };
  const jwks = join(await temporaryDirectory(), "jwks.json");
  await writeFile(jwks, JSON.stringify(keys));
  sign = (claims) =>
    new SignJWT({ iss: jwt.issuer, aud: jwt.audience, sub: "ann", scope: "run read", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
  server = await startServer({
    mcp: true,
    jwt: { ...jwt, jwks },
    publicUrl: "https://quern.example.com",
    log: { error: () => {} },
    kind: await oneProcessKind(),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const agent = (key?: string, era?: Era) => connectAgent(server.url, key, era);

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "query", arguments: { sql: "select 1" } } };

/** Sends a message without the SDK, with any headers. */
function send(headers: Record<string, string>, body: unknown = call, method = "POST", path = "/mcp") {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const accept = "application/json, text/event-stream";
    const sent = request(server.url + path, {
      method,
      headers: { "content-type": "application/json", accept, ...headers },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.end(method === "POST" ? JSON.stringify(body) : undefined);
  });
}

describe.each(["legacy", "modern"] as const)("an agent of the %s era", (mode) => {
  it("lists tools, queries, reads further rows of the same run, and gets exact integers", async () => {
    const { client, output } = await agent(apiKey, mode);
    expect((await client.listTools()).tools).toHaveLength(6);
    const sql = `select range::bigint + 9007199254740992 as n from range(2500) -- ${mode}`;
    const before = (await server.call<{ queryRuns: unknown[] }>("listQueryRuns", {})).queryRuns.length;
    const seen: unknown[] = [];
    let page = await output("query", { sql, limit: 1_000 });
    for (seen.push(...page.rows); page.nextOffset !== null; seen.push(...page.rows))
      page = await output("read_rows", { runId: page.runId, offset: page.nextOffset, limit: 1_000 });
    expect(seen.slice(0, 2)).toEqual([["9007199254740992"], ["9007199254740993"]]);
    expect([seen.length, new Set(seen.map(String)).size]).toEqual([2_500, 2_500]);
    const { queryRuns } = await server.call<{ queryRuns: unknown[] }>("listQueryRuns", {});
    expect(queryRuns.length).toBe(before + 1);
  });

  it("withdraws its request when it disconnects, and no other one", async () => {
    const { call: callTool, client } = await agent(apiKey, mode);
    const sql = `${slow} -- ${mode}`;
    const pending = callTool("query", { sql }).catch(() => "closed");
    const newest = async () =>
      (await server.call<{ queryRuns: { id: string; endedAt: null }[] }>("listQueryRuns", { limit: 1 })).queryRuns[0];
    await expect.poll(newest).toMatchObject({ endedAt: null });
    const running = await newest();
    const other = await server.create({ sql, maxAgeMinutes: 5 });
    expect(other.queryRun.id).toBe(running?.id);
    await client.close();
    await pending;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await server.get(other.queryRun.id)).endedAt).toBeNull();
    await server.call("cancelQueryRun", { queryRunId: other.queryRun.id, queryRequestId: other.queryRequest.id });
    await expect
      .poll(async () => (await server.get(other.queryRun.id)).state, { timeout: 2_000 })
      .toBe("QUERY_STATE_CANCELED");
  });
});

describe("the endpoint", () => {
  it("answers 401 with metadata without a key, with a wrong one, and with a token for another audience", async () => {
    const url = "https://quern.example.com/.well-known/oauth-protected-resource/mcp";
    const bearer = async (claims: object) => ({ authorization: `Bearer ${await sign(claims)}` });
    for (const headers of [{}, { "x-api-key": "wrong" }, await bearer({ aud: "another" })]) {
      const { status, headers: answered, text } = await send(headers);
      expect([status, answered["www-authenticate"]]).toEqual([
        401,
        expect.stringContaining(`resource_metadata="${url}"`),
      ]);
      expect(text).not.toContain('"code"');
    }
    const metadata = await send({}, undefined, "GET", "/.well-known/oauth-protected-resource/mcp");
    expect(JSON.parse(metadata.text)).toMatchObject({
      resource: "https://quern.example.com/mcp",
      authorization_servers: [jwt.issuer],
    });
    expect((await send(await bearer({}))).status).toBe(200);
  });

  it("answers 403 for a tool that the scopes do not allow, and does not list it", async () => {
    const { key } = await caller(server, { scopes: ["read"] });
    const { status, headers } = await send({ "x-api-key": key });
    expect([status, headers["www-authenticate"]]).toEqual([
      403,
      expect.stringMatching(/^Bearer error="insufficient_scope", scope="run"/),
    ]);
    const { client } = await agent(key);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_rows", "export_result"]);
  });

  it("answers 403 for another host or origin, and accepts loopback, addresses and the public host", async () => {
    const key = { "x-api-key": apiKey };
    for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "null" }])
      expect((await send({ ...key, ...headers })).status, JSON.stringify(headers)).toBe(403);
    for (const headers of [{ host: "quern.example.com" }, { host: "10.1.2.3:80" }, { origin: "http://localhost:3000" }])
      expect((await send({ ...key, ...headers })).status, JSON.stringify(headers)).toBe(200);
  });

  it("refuses batches, other methods of HTTP and bodies that are not JSON, each with a status", async () => {
    const key = { "x-api-key": apiKey };
    expect((await send(key, [call])).status).toBe(400);
    expect((await send(key, undefined, "GET")).status).toBe(405);
    expect((await send({ ...key, "content-type": "text/plain" })).status).toBe(415);
    expect((await send(key, undefined, "OPTIONS")).status).toBe(204);
  });

  it("shows no run of another user, and writes a line of the audit log for each call", async () => {
    const { id } = await server.run("select 1");
    const other = await caller(server, { tenant: "other" });
    const { failure, output } = await agent(other.key);
    expect(await failure("read_rows", { runId: id })).toMatch(/^QueryRunNotFound: /);
    const { runId } = await output("query", { sql: "select 1" });
    const lines = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trim().split("\n");
    const calls = lines
      .map((line) => JSON.parse(line))
      .filter(({ action, keyId }) => action === "tool.call" && keyId === other.keyId);
    expect(calls).toMatchObject([
      { tool: "read_rows", isError: true, address: "127.0.0.1" },
      { tool: "query", isError: false, runId, requestId: expect.any(String) },
    ]);
  });

  it("does not exist unless it is switched on", async () => {
    await using plain = await startServer({});
    const answers = await Promise.all([
      fetch(`${plain.url}/mcp`, { method: "POST", headers: { "x-api-key": apiKey } }),
      fetch(`${plain.url}/.well-known/oauth-protected-resource/mcp`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it("needs names of tools that exist", async () => {
    const started = startServer({ mcp: true, mcpTools: ["query", "drop"] });
    await expect(started).rejects.toThrow('Invalid mcpTools: unknown tool "drop"; use query, read_rows');
  });
});

describe("errors of an engine", () => {
  it("have name, position and candidates in the text", async () => {
    const { failure, output } = await agent();
    await output("query", { sql: "select 1" });
    expect(await failure("query", { sql: "select nam from (select 1 as name)" })).toMatch(
      /^BinderError: [^(]*\(line 1, column 8\)\ncandidates: name/,
    );
    expect(await failure("query", { sql: "drop table x" })).not.toMatch(/-32\d{3}/);
    expect(await failure("describe_query", { sql: "select f.nam from (select 1 as name) as f" })).toMatch(
      /^InvalidQuery: BinderError: .* "f" does not have a column named "nam" \(line 1, column 8\)\nHint: Correct the statement/,
    );
  });
});

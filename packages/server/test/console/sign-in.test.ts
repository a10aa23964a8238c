import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "@quern/server";
import { listKeys, revokeKey } from "@quern/server/administration";
import { beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/common/log.ts";
import { apiKey, createTestClock, idleKind, temporaryDirectory } from "../fixture.ts";
import { callWith } from "../identity/callers.ts";
import { inConsoleFolder } from "./console-folder.ts";

const lines: string[] = [];
beforeEach(() => void lines.splice(0));
const log = createLog({ level: "debug", write: (line) => lines.push(line) });
const clock = createTestClock();

async function start(host = "127.0.0.1") {
  const dataDir = await temporaryDirectory();
  const limits = { maxFailedKeysPerMinute: 2 };
  const options = { dataDir, apiKey, sourceKinds: { duckdb: idleKind }, log, clock, limits };
  const server = await inConsoleFolder(() => createServer(options));
  const { url } = await server.listen(0, host);
  return { server, dataDir, url, [Symbol.asyncDispose]: () => server.close() };
}

function codeOf(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get("code") ?? "";
}

/** Sends a code as the page does. */
async function exchange(url: string, code: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code }),
  });
  const body = (await response.json()) as Readonly<Record<string, string>>;
  return { status: response.status, headers: response.headers, body };
}

async function consoleKey(dataDir: string) {
  return (await listKeys(dataDir)).find(({ id }) => id.startsWith("key_console_"));
}

const list = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };
const statusOf = async (url: string, key = "") => (await callWith(url, { "x-api-key": key }, list)).status;
const invalid = {
  status: 401,
  body: { error: "invalid_code", error_description: expect.stringMatching(/^Invalid, used or expired sign-in link; /) },
};

describe("a sign-in link", () => {
  it("gives a key of its own once, which is listed, expires after 12 hours and can be revoked", async () => {
    await using started = await start();
    const { server, url, dataDir } = started;
    const link = server.signInLink();
    expect(link).toMatch(new RegExp(`^${url}/console/#code=[\\w-]{43}$`));
    const { status, headers, body } = await exchange(url, codeOf(link), {
      origin: url,
      "sec-fetch-site": "same-origin",
    });
    expect([status, headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
      200,
      "no-store",
      null,
    ]);
    const { apiKey: key = "", ...others } = body;
    expect(others).toEqual({});
    expect(key).toMatch(/^qk_[0-9a-f]{8}_[\w-]{43}$/);
    expect(await statusOf(url, key)).toBe(200);

    const issued = await consoleKey(dataDir);
    expect(await listKeys(dataDir)).toHaveLength(2);
    expect(issued).toMatchObject({
      id: expect.stringMatching(/^key_console_[0-9a-f]{12}$/),
      origin: "issued",
      scopes: ["run", "read", "cancel"],
      lastFour: key.slice(-4),
      expiresAt: clock.now() + 12 * 3_600_000,
    });

    expect(await exchange(url, codeOf(link))).toMatchObject(invalid);
    await revokeKey(dataDir, issued?.id ?? "");
    expect(await statusOf(url, key)).toBe(401);
    expect(await statusOf(url, apiKey)).toBe(200);
  });

  it("works once for two browsers at the same time, and beside another link", async () => {
    await using started = await start();
    const { server, url } = started;
    const [one, other] = [server.signInLink(), server.signInLink()];
    const answers = await Promise.all([one, one, one].map((link) => exchange(url, codeOf(link))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await exchange(url, codeOf(other))).status).toBe(200);
  });

  it("expires after five minutes, and its key after twelve hours", async () => {
    await using started = await start();
    const { server, url } = started;
    const [kept, late] = [server.signInLink(), server.signInLink()];
    clock.advance(5 * 60_000 - 1);
    const { apiKey: key } = (await exchange(url, codeOf(kept))).body;
    clock.advance(1);
    expect(await exchange(url, codeOf(late))).toMatchObject(invalid);
    clock.advance(12 * 3_600_000 - 2);
    expect(await statusOf(url, key)).toBe(200);
    clock.advance(2);
    expect(await statusOf(url, key)).toBe(401);
  });

  it("limits guesses as refused keys, and still accepts a valid code", async () => {
    await using started = await start();
    const { server, url } = started;
    const link = server.signInLink();
    for (let guess = 0; guess < 2; guess += 1) expect(await exchange(url, `guess ${guess}`)).toMatchObject(invalid);
    const { status, headers, body } = await exchange(url, "guess");
    expect([status, headers.get("retry-after"), body.error]).toEqual([429, "30", "rate_limited"]);
    expect(await statusOf(url, "qk_wrong")).toBe(429);
    expect((await exchange(url, codeOf(link))).status).toBe(200);
  });

  it("is refused to other pages and names, and in other forms", async () => {
    await using started = await start();
    const { server, url } = started;
    const code = codeOf(server.signInLink());
    const wrong = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: url },
      { "sec-fetch-site": "none" },
    ];
    for (const headers of wrong) {
      const answer = await exchange(url, code, headers);
      expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    const send = async (body: string, type = "application/json", method = "POST", path = "/console/session") =>
      (await fetch(`${url}${path}`, { method, headers: { "content-type": type }, ...(method === "POST" && { body }) }))
        .status;
    const body = JSON.stringify({ code });
    expect(await send(body, "text/plain")).toBe(415);
    expect(await send(body, "application/x-www-form-urlencoded")).toBe(415);
    expect(await send(body, "application/json", "GET")).toBe(405);
    expect(await send("", "application/json", "POST", `/console/session?code=${code}`)).toBe(405);
    for (const text of ["", "null", "[]", `{"code":1}`, `"${code}"`]) expect(await send(text)).toBe(400);
    expect(await send(JSON.stringify({ code, pad: "x".repeat(1_000) }))).toBe(413);
    // None of these has used the code.
    expect(await exchange(url, code, { origin: url })).toMatchObject({ status: 200 });
  });

  it("is in the audit log without its code, and neither code nor key is in a log", async () => {
    await using started = await start();
    const { server, url, dataDir } = started;
    const code = codeOf(server.signInLink());
    const { apiKey: key = "" } = (await exchange(url, code, { "x-request-id": "req-1" })).body;
    await exchange(url, code, { "x-request-id": "req-2" });
    const audit = await readFile(join(dataDir, "audit.jsonl"), "utf8");
    const issued = (await consoleKey(dataDir))?.id;
    const nobody = { tenantId: null, userId: null, keyId: null };
    expect(
      audit
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { action: "console.link", ...nobody, address: "local" },
      {
        action: "key.issue",
        tenantId: "tenant_first",
        userId: "user_first",
        keyId: issued,
        issuedKeyId: issued,
        requestId: "req-1",
      },
      { action: "access.refused", ...nobody, httpStatus: 401, path: "/console/session", requestId: "req-2" },
    ]);
    for (const secret of [code, key, key.slice(12)])
      for (const text of [audit, lines.join("")]) expect(text).not.toContain(secret);
  });

  it("is minted only while the service listens on loopback", async () => {
    await using started = await start("0.0.0.0");
    expect(() => started.server.signInLink()).toThrow(/^No sign-in link: the service listens on 0\.0\.0\.0; /);
    const dataDir = await temporaryDirectory();
    const idle = await inConsoleFolder(() => createServer({ dataDir, sourceKinds: { duckdb: idleKind }, log }));
    expect(() => idle.signInLink()).toThrow("the service listens on no address");
    await idle.close();
    const { server } = await start();
    await server.close();
    expect(() => server.signInLink()).toThrow("the service listens on no address");
  });
});

import { chown, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  AdministrationError,
  issueKey,
  listKeys,
  listTenants,
  revokeKey,
  rotateKey,
  setTenant,
} from "@quern/server/administration";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestClock, startServer, temporaryDirectory } from "../fixture.ts";
import { callWith } from "../identity/callers.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const list = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };
const statusOf = async (url: string, key: string) => (await callWith(url, { "x-api-key": key }, list)).status;
const hourMs = 3_600_000;

it("issues, rotates and revokes keys of a server that runs, at once", async () => {
  await using server = await startServer({ dataDir });
  const { id, key } = await issueKey({ dataDir, tenant: "acme", user: "ann", scopes: ["read"], sources: ["test"] });
  expect(await statusOf(server.url, key)).toBe(200);

  const kept = await rotateKey(dataDir, id, hourMs);
  expect([await statusOf(server.url, key), await statusOf(server.url, kept.key)]).toEqual([200, 200]);
  const next = await rotateKey(dataDir, kept.id);
  expect([await statusOf(server.url, kept.key), await statusOf(server.url, next.key)]).toEqual([401, 200]);
  await revokeKey(dataDir, next.id);
  expect(await statusOf(server.url, next.key)).toBe(401);

  const rights = { tenantId: "acme", userId: "ann", scopes: ["read"], sources: ["test"], origins: null };
  expect((await listKeys(dataDir)).filter(({ tenantId }) => tenantId === "acme")).toMatchObject([
    { id, ...rights, state: "active", expiresAt: expect.any(Number), lastFour: key.slice(-4) },
    { id: kept.id, ...rights, state: "revoked" },
    { id: next.id, ...rights, state: "revoked" },
  ]);
});

it("keeps hashes only, in the database and in the audit log", async () => {
  const { id, key } = await issueKey({ dataDir, user: "ann" });
  const rotated = await rotateKey(dataDir, id);
  for (const file of ["quern.db", "audit.jsonl"]) {
    const content = await readFile(join(dataDir, file), "latin1");
    for (const secret of [key, rotated.key]) expect(content).not.toContain(secret.slice(12));
  }
  const audit = (await readFile(join(dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
  expect(audit.map((line) => JSON.parse(line))).toMatchObject([
    { action: "key.issue", userId: "ann", issuedKeyId: id, address: "local", operator: expect.any(String) },
    { action: "key.rotate", userId: "ann", issuedKeyId: rotated.id, endedKeyId: id },
  ]);
});

it("ends a key at its expiry, and notes its use to the minute", async () => {
  const clock = createTestClock(Date.now());
  await using server = await startServer({ dataDir, clock });
  const { id, key } = await issueKey({ dataDir, expiresAt: clock.now() + hourMs });
  const lastUsedAt = async () => (await listKeys(dataDir)).find((each) => each.id === id)?.lastUsedAt;
  expect(await lastUsedAt()).toBeNull();
  const first = clock.now();
  expect(await statusOf(server.url, key)).toBe(200);
  clock.advance(59_999);
  expect(await statusOf(server.url, key)).toBe(200);
  expect(await lastUsedAt()).toBe(first);
  clock.advance(1);
  await statusOf(server.url, key);
  expect(await lastUsedAt()).toBe(first + 60_000);
  clock.advance(hourMs - 60_001);
  expect(await statusOf(server.url, key)).toBe(200);
  clock.advance(1);
  expect(await statusOf(server.url, key)).toBe(401);
});

it("makes no first key where one was issued before the server began", async () => {
  const { key } = await issueKey({ dataDir, user: "ann" });
  await using server = await startServer({ dataDir, apiKey: undefined });
  expect(await statusOf(server.url, key)).toBe(200);
  expect(await listKeys(dataDir)).toHaveLength(1);
});

it.each([
  ["a scope that is none", () => issueKey({ dataDir, scopes: ["all"] }), "expected one or more scopes of run, read"],
  ["no scope", () => issueKey({ dataDir, scopes: [] }), "received none"],
  ["an origin with a path", () => issueKey({ dataDir, origins: ["https://a.example/app"] }), "expected an origin"],
  ["a network that is none", () => issueKey({ dataDir, networks: ["10.0.0.0/33"] }), 'received "10.0.0.0/33"'],
  [
    "a tenant that is no name",
    () => issueKey({ dataDir, tenant: "a b" }),
    'invalid tenant: "a b"; use at most 128 letters, digits and . _ @ + -, and begin with a letter or digit',
  ],
  [
    "an expiry in the past",
    () => issueKey({ dataDir, expiresAt: 1 }),
    "the expiry is in the past: 1970-01-01T00:00:00.001Z; choose a later --expires, such as 90d",
  ],
  ["a folder without a service", () => revokeKey(dataDir, "key_none"), "no data directory of Quern"],
  [
    "a limit below 0",
    () => setTenant(dataDir, "acme", { maxRunningRuns: -1 }),
    "maxRunningRuns: expected at least 1, received -1",
  ],
])("refuses %s, and says what to do", async (_, ask, message) => {
  await expect(ask()).rejects.toThrow(AdministrationError);
  await expect(ask()).rejects.toThrow(message);
});

it("changes the limits of a tenant, member by member", async () => {
  await setTenant(dataDir, "acme", { maxUnfinishedRuns: 3, requestsPerSecond: 1 });
  await setTenant(dataDir, "acme", { requestsPerSecond: null, maxRunningRuns: 2 });
  const [acme] = await listTenants(dataDir);
  expect(acme).toMatchObject({
    id: "acme",
    settings: { maxUnfinishedRuns: 3, maxRunningRuns: 2, requestsPerSecond: null },
  });
});

// Only root can create files for another user.
it.runIf(process.geteuid?.() === 0)(
  "gives the files that root creates to the owner of the data directory",
  async () => {
    const owner = 65_534;
    await chown(dataDir, owner, owner);
    await issueKey({ dataDir, user: "ann" });
    const owners = await Promise.all(
      (await readdir(dataDir)).map(async (name) => [name, (await stat(join(dataDir, name))).uid]),
    );
    expect(owners.sort()).toEqual([
      ["audit.jsonl", owner],
      ["audit.lock", owner],
      ["quern.db", owner],
    ]);
  },
);

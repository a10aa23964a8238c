import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { verifyAudit } from "../../src/administration/audit.ts";
import { issueKey, listKeys, revokeKey, revokeLinks, rotateKey, toName } from "../../src/administration/keys.ts";
import { listTenants, listUsage, setTenant } from "../../src/administration/tenants.ts";
import { keyRecordOf } from "../../src/identity/api-key.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { openFilesIn, temporaryDirectory } from "../fixture.ts";

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  dataDir = join(folder, "data");
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the lines of the audit log without their links, times and operators. */
async function audited(): Promise<unknown[]> {
  const text = await readFile(join(dataDir, "audit.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { sequence, previous, time, keyId, address, operator, ...event } = JSON.parse(line);
      expect([keyId, address, operator]).toEqual([null, "local", userInfo().username]);
      return event;
    });
}

const firstTenant = { tenantId: "tenant_first", userId: "user_first" };

it("issues a key with the rights of a user by default, in a new directory", async () => {
  const { id, key } = await issueKey({ dataDir });
  const rights = { scopes: ["run", "read", "cancel"], sources: null, origins: null, networks: null, expiresAt: null };
  const listed = await listKeys(dataDir);
  expect(listed).toMatchObject([{ id, ...firstTenant, ...rights, origin: "issued", lastFour: key.slice(-4) }]);
  expect(Object.keys(listed[0] ?? {})).not.toContain("hash");
  expect(Object.keys(listed[0] ?? {})).not.toContain("replaced");
  expect(await audited()).toEqual([{ action: "key.issue", ...firstTenant, issuedKeyId: id, ...rights }]);
  expect(await openFilesIn(folder)).toEqual([]);
  if (process.platform !== "win32") expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

it("issues a key with restrictions, which its successor keeps", async () => {
  const restrictions = { sources: ["a"], origins: ["https://a.example:8080"], networks: ["10.0.0.0/8"] };
  const expiresAt = Date.now() + 3_600_000;
  const { id } = await issueKey({ dataDir, tenant: "acme", user: "ann", scopes: ["read"], expiresAt, ...restrictions });
  const next = await rotateKey(dataDir, id);
  const owner = { tenantId: "acme", userId: "ann" };
  const rights = { ...owner, scopes: ["read"], ...restrictions };
  expect(await listKeys(dataDir)).toMatchObject([
    { id, ...rights, state: "revoked" },
    { id: next.id, ...rights, state: "active", expiresAt, origin: "issued", lastFour: next.key.slice(-4) },
  ]);
  await revokeKey(dataDir, next.id);
  expect((await audited()).slice(1)).toEqual([
    { action: "key.rotate", ...owner, issuedKeyId: next.id, endedKeyId: id, keepMs: 0 },
    { action: "key.revoke", ...owner, endedKeyId: next.id },
  ]);
});

it("rotates and revokes no key that is unknown, revoked or configured", async () => {
  const { id, key } = await issueKey({ dataDir });
  await revokeKey(dataDir, id);
  await expect(rotateKey(dataDir, id)).rejects.toThrow(
    `key ${id} is revoked; issue another key with \`quern keys issue\``,
  );
  await expect(revokeKey(dataDir, "key_none")).rejects.toThrow(
    "unknown key: key_none; `quern keys list` prints the ids",
  );
  await expect(revokeKey(dataDir, key)).rejects.toThrow(
    "expected the id of a key, received a key; `quern keys list` prints the ids",
  );
  const { keys, close } = openSqliteStore(join(dataDir, "quern.db"));
  const configured = keyRecordOf("configured", "environment");
  const rights = { scopes: [], sources: null, origins: null, networks: null, expiresAt: null };
  await keys.add({ ...configured, ...firstTenant, ...rights });
  await close();
  await expect(rotateKey(dataDir, configured.id)).rejects.toThrow(
    `key ${configured.id} is the configured one; set QUERN_API_KEY to another key, and restart the service`,
  );
});

it.each([
  ["a", true],
  ["9", true],
  ["Ann.B@c-d+e_f", true],
  [`a${"b".repeat(127)}`, true],
  [`a${"b".repeat(128)}`, false],
  ["", false],
  ["_a", false],
  [" a", false],
  ["a b", false],
  ["a\n", false],
  ["é", false],
])("takes %j for the name of a tenant: %s", (text, isName) => {
  if (isName) expect(toName("tenant", text)).toBe(text);
  else
    expect(() => toName("tenant", text)).toThrow(
      `invalid tenant: ${JSON.stringify(text)}; use at most 128 letters, digits and . _ @ + -, and begin with a letter or digit`,
    );
});

it.each([["https://a.example/"], ["https://A.example"], ["a.example"], ["null"]])(
  "refuses the origin %s",
  async (origin) => {
    await expect(issueKey({ dataDir, origins: ["https://a.example", origin] })).rejects.toThrow(
      `expected an origin such as https://app.example.com, received ${JSON.stringify(origin)}`,
    );
  },
);

it("changes a tenant in a new directory, and records the change", async () => {
  await setTenant(dataDir, "acme", { maxRunningRuns: 2, maxStoredBytes: null });
  expect(await audited()).toEqual([
    { action: "tenant.set", tenantId: "acme", userId: null, maxRunningRuns: 2, maxStoredBytes: null },
  ]);
  expect(await listTenants(dataDir)).toEqual([
    {
      id: "acme",
      createdAt: expect.any(Number),
      storedBytes: 0,
      settings: { maxRunningRuns: 2, maxStoredBytes: null },
    },
  ]);
});

it("lists usage of a month, or of all", async () => {
  await setTenant(dataDir, "acme", {});
  const { usage, close } = openSqliteStore(join(dataDir, "quern.db"));
  const counts = { tenantId: "acme", userId: "ann", execMs: 1, runs: 2, rows: 3, bytesRead: 4 };
  await usage.add(["2026-10", "2026-11"].map((month) => ({ ...counts, month })));
  await close();
  expect(await listUsage(dataDir, "2026-10")).toEqual([{ ...counts, month: "2026-10" }]);
  expect(await listUsage(dataDir)).toHaveLength(2);
});

it("revokes the links of all callers", async () => {
  await issueKey({ dataDir });
  const secret = async () => {
    const { settings, close } = openSqliteStore(join(dataDir, "quern.db"));
    return settings.getOrCreate("linkSecret", '"before"').finally(close);
  };
  expect(await secret()).toBe('"before"');
  await revokeLinks(dataDir);
  expect(await secret()).toMatch(/^"[\w-]{43}"$/);
  expect((await audited())[1]).toEqual({ action: "links.revoke", tenantId: null, userId: null });
});

it("needs a directory with a store, and reports a configured store that cannot be opened", async () => {
  await mkdir(dataDir);
  await expect(listKeys(dataDir)).rejects.toMatchObject({
    name: "AdministrationError",
    message: expect.stringContaining(`no data directory of Quern: ${dataDir};`),
  });
  const storePasswordFile = join(folder, "none");
  await expect(listKeys({ dataDir, store: "postgres://a@b/c", storePasswordFile })).rejects.toMatchObject({
    name: "AdministrationError",
    message: expect.stringContaining("Cannot read the password of the store"),
  });
});

const hash = "0123456789abcdef".repeat(4);

it.each([hash.toUpperCase(), `${hash}0`, `x${hash}`, `${hash}x`, hash.slice(1), ""])(
  "refuses the hash %s of an audit log",
  async (wrong) => {
    const message = `invalid hash: ${wrong}; expected 64 hexadecimal digits in lower case, as \`quern audit verify\` prints`;
    await expect(verifyAudit({ dataDir }, { expected: wrong })).rejects.toThrow(message);
    await expect(verifyAudit({ dataDir }, { after: wrong })).rejects.toThrow(message);
  },
);

it("checks an audit log without lines, and needs a file", async () => {
  await mkdir(dataDir);
  await expect(verifyAudit({ dataDir }, { expected: hash })).rejects.toThrow(
    `no audit log in ${dataDir}; name the data directory of the service in --data-dir, or files in --file`,
  );
  await writeFile(join(dataDir, "audit.jsonl"), "");
  expect(await verifyAudit({ dataDir })).toEqual({
    isIntact: true,
    files: ["audit.jsonl"],
    lines: 0,
    faults: [],
    last: { sequence: 0, hash: null },
  });
  const { faults } = await verifyAudit({ dataDir }, { expected: hash });
  expect(faults).toMatchObject([{ file: "audit.jsonl", line: 0, fault: "missing" }]);
  expect(await openFilesIn(folder)).toEqual([]);
});

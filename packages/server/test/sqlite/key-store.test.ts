import { expect, it } from "vitest";
import { toKeyRecord } from "../../src/sqlite/key-store.ts";

const row = {
  id: "key_1",
  hash: new Uint8Array([1]),
  last_four: "abcd",
  origin: "issued",
  tenant_id: "t",
  user_id: "u",
  scopes: '["run","read"]',
  sources: '["a"]',
  origins: null,
  networks: null,
  created_at: 1,
  expires_at: 10,
  revoked_at: null,
  last_used_at: 5,
  replaced: 0,
};

it("returns the members of a key", () => {
  expect(toKeyRecord(row, 9)).toEqual({
    id: "key_1",
    hash: new Uint8Array([1]),
    lastFour: "abcd",
    origin: "issued",
    tenantId: "t",
    userId: "u",
    scopes: ["run", "read"],
    sources: ["a"],
    origins: null,
    networks: null,
    createdAt: 1,
    expiresAt: 10,
    revokedAt: null,
    replaced: false,
    lastUsedAt: 5,
    state: "active",
  });
});

it.each([
  ["active before it expires", {}, 9, "active"],
  ["expired at the end of its time", {}, 10, "expired"],
  ["active without an end", { expires_at: null }, 10, "active"],
  ["revoked, also if it has expired", { revoked_at: 0 }, 10, "revoked"],
])("is %s", (_, change, now, state) => {
  expect(toKeyRecord({ ...row, ...change }, now).state).toBe(state);
});

it.each([
  ["environment", "environment"],
  ["issued", "issued"],
  ["generated", "generated"],
  ["of a later version", "generated"],
])("has the origin %s as %s", (origin, known) => {
  expect(toKeyRecord({ ...row, origin }, 0).origin).toBe(known);
});

it("has no scope that this version does not know, and none without a list", () => {
  expect(toKeyRecord({ ...row, scopes: '["run","fly"]' }, 0).scopes).toEqual(["run"]);
  expect(toKeyRecord({ ...row, scopes: null }, 0).scopes).toEqual([]);
});

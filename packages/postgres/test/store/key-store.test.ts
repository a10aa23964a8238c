import type { NewKeyRecord } from "@quern/adapter";
import { expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { createPostgresKeyStore } from "../../src/store/key-store.ts";

it("stores each member of a new key in its column", async () => {
  const key: NewKeyRecord = {
    id: "key_1",
    hash: new Uint8Array([1]),
    lastFour: "abcd",
    origin: "issued",
    tenantId: "t",
    userId: "u",
    scopes: ["run"],
    sources: ["a"],
    origins: ["b"],
    networks: ["c"],
    expiresAt: 5,
  };
  let stored: unknown;
  const rows = async (text: string, ...values: readonly unknown[]) => {
    const columns = text.replace(/^.*\(([^)]*)\)\s*VALUES.*$/s, "$1").split(", ");
    stored = Object.fromEntries(columns.map((column, index) => [column, values[index]]));
    return [];
  };
  await createPostgresKeyStore({ rows } as unknown as Database).add(key);
  expect(stored).toEqual({
    id: "key_1",
    hash: Buffer.from([1]),
    last_four: "abcd",
    origin: "issued",
    tenant_id: "t",
    user_id: "u",
    scopes: ["run"],
    sources: ["a"],
    origins: ["b"],
    networks: ["c"],
    expires_at: 5,
  });
});

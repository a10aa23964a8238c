import { randomBytes } from "node:crypto";
import type { KeyRecord, KeyStore, NewKeyRecord } from "@quern/adapter";
import { generateApiKey, hashApiKey } from "./api-key.ts";
import { scopes } from "./scope.ts";

/** Whose the first key is: nothing limits this tenant unless the operator says so. */
export const firstTenant = { tenantId: "tenant_first", userId: "user_first" };

/**
 * Sees to it that a server has a key. A given key is kept, and an earlier given one is revoked when it was another.
 * Without one, a key is made for a server that has none. A key that the operator has revoked stays so.
 * @returns the key that was made; it is not kept and cannot be shown again
 * @throws where the given key is revoked
 */
export async function ensureFirstKey(keys: KeyStore, given: string | undefined): Promise<string | undefined> {
  if (given === "") throw new Error("The API key is empty.");
  const known = await keys.all();
  if (given === undefined) {
    if (known.some(({ state }) => state === "active")) return undefined;
    const made = generateApiKey();
    await keys.add(newKey(made, "generated"));
    return made;
  }
  const hash = Buffer.from(hashApiKey(given));
  const same = known.find((key) => hash.equals(key.hash));
  if (same !== undefined && same.revokedAt !== null && !same.replaced)
    throw new Error(`The API key that QUERN_API_KEY names, ${same.id}, is revoked. Set another one, or none.`);
  for (const key of known) {
    const replaced = key.origin === "environment" && key.revokedAt === null && !hash.equals(key.hash);
    if (replaced) await keys.replace(key.id);
  }
  if (same === undefined) await keys.add(newKey(given, "environment"));
  else await keys.restore(same.id);
  return undefined;
}

function newKey(key: string, origin: KeyRecord["origin"]): NewKeyRecord {
  return {
    id: `key_${randomBytes(6).toString("hex")}`,
    hash: hashApiKey(key),
    lastFour: key.slice(-4),
    origin,
    ...firstTenant,
    scopes,
    sources: null,
    origins: null,
    expiresAt: null,
  };
}

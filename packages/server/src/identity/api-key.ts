import { createHash, randomBytes } from "node:crypto";
import type { KeyRecord, KeyStore, Store } from "@quern/adapter";
import { scopes } from "./principal.ts";

/** Tenant and user of the first key. No default limits apply to this tenant. */
export const firstTenant = { tenantId: "tenant_first", userId: "user_first" };

/** Generates a key `qk_<id>_<secret>`. Its secret has 256 random bits, so that one round of a fast hash protects it. */
export function generateApiKey(): string {
  return `qk_${randomBytes(4).toString("hex")}_${randomBytes(32).toString("base64url")}`;
}

export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** Returns the members of a key record that follow from the key itself, with a new id. */
export function keyRecordOf(key: string, origin: KeyRecord["origin"]) {
  return { id: `key_${randomBytes(6).toString("hex")}`, hash: hashApiKey(key), lastFour: key.slice(-4), origin };
}

/**
 * Ensures that a server has a key. A configured key replaces the one configured before, which is then revoked. On a
 * shared store, other servers may have another configured key, so that both remain valid. Without a configured key,
 * generates one for a store that has no active key. A key that the operator revoked stays revoked.
 * @param configured value of the option `apiKey`, which `quern serve` takes from QUERN_API_KEY
 * @param onOther called on a shared store with the id of each other configured key that remains valid
 * @returns the generated key; it is not stored and cannot be shown again
 * @throws if the configured key is empty or revoked
 */
export async function ensureFirstKey(
  { keys, isShared }: Pick<Store, "keys" | "isShared">,
  configured: string | undefined,
  onOther: (keyId: string) => void = () => {},
): Promise<string | undefined> {
  if (configured === "") throw new Error("Invalid apiKey: it is empty; pass a key, or omit the option.");
  const known = await keys.all();
  if (configured === undefined) {
    if (known.some(({ state }) => state === "active")) return undefined;
    const generated = generateApiKey();
    await addFirstKey(keys, generated, "generated");
    return generated;
  }
  const hash = Buffer.from(hashApiKey(configured));
  const same = known.find((key) => hash.equals(key.hash));
  if (same !== undefined && same.revokedAt !== null && !same.replaced)
    throw new Error(
      `The configured API key, ${same.id}, is revoked; set QUERN_API_KEY or the option apiKey to another key, or unset it.`,
    );
  for (const key of known) {
    const isOther = key.origin === "environment" && key.revokedAt === null && !hash.equals(key.hash);
    if (isOther && isShared) onOther(key.id);
    else if (isOther) await keys.replace(key.id);
  }
  if (same === undefined) await addFirstKey(keys, configured, "environment");
  else await keys.restore(same.id);
  return undefined;
}

function addFirstKey(keys: KeyStore, key: string, origin: KeyRecord["origin"]): Promise<void> {
  const unrestricted = { scopes, sources: null, origins: null, networks: null, expiresAt: null };
  return keys.add({ ...keyRecordOf(key, origin), ...firstTenant, ...unrestricted });
}

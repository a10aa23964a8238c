import { createHash, randomBytes } from "node:crypto";

/** A new key, `qk_<id>_<secret>`: 256 random bits, which is why one round of a fast hash is enough to keep it. */
export function generateApiKey(): string {
  return `qk_${randomBytes(4).toString("hex")}_${randomBytes(32).toString("base64url")}`;
}

export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

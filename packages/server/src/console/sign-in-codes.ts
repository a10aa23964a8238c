import { createHash, randomBytes } from "node:crypto";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";

const lifetimeMs = 5 * 60_000;

/** Codes that sign a browser in to the console. Only their hashes are kept, and only in memory. */
export interface SignInCodes {
  /** Generates a code with 256 random bits, which is valid once, for five minutes. */
  mint(): string;
  /** Uses a code. Returns false for a wrong, used or expired one. */
  use(code: string): boolean;
  /** Lets a code be used again until it expires, since nothing was given for it. */
  restore(code: string): void;
}

export function createSignInCodes(clock: Clock): SignInCodes {
  /** Time at which each code expires, by its hash. A used code stays until then. */
  const codes = new Map<string, { readonly expiresAt: Instant; isUsed: boolean }>();

  return {
    mint() {
      const now = clock.now();
      for (const [hash, { expiresAt }] of codes) if (expiresAt <= now) codes.delete(hash);
      const code = randomBytes(32).toString("base64url");
      codes.set(hashOf(code), { expiresAt: now + lifetimeMs, isUsed: false });
      return code;
    },
    use(code) {
      const known = codes.get(hashOf(code));
      if (known === undefined || known.isUsed || known.expiresAt <= clock.now()) return false;
      known.isUsed = true;
      return true;
    },
    restore(code) {
      const known = codes.get(hashOf(code));
      if (known !== undefined) known.isUsed = false;
    },
  };
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("base64url");
}

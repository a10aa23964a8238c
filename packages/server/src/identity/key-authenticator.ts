import { timingSafeEqual } from "node:crypto";
import type { KeyRecord, KeyStore } from "@quern/adapter";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import { hashApiKey } from "./api-key.ts";
import { type Authenticator, bearerToken } from "./authenticator.ts";

/** How exactly is kept when a key was used last: each time it is kept is a write. */
const lastUsedMs = 60_000;

/** API keys, as `x-api-key` or, without that header, as a bearer token. A key that was revoked or has changed is noticed at its next use. */
export function createKeyAuthenticator(keys: KeyStore, clock: Clock, log: Log): Authenticator {
  const notedAt = new Map<string, Instant>();

  /** Beside the call: whoever may read can do so also while the store can be changed by nobody. */
  function noteUse({ id }: KeyRecord): void {
    const now = clock.now();
    if (now - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < lastUsedMs) return;
    notedAt.set(id, now);
    keys.used(id).catch((error: unknown) => log.error(`the use of key ${id} could not be kept`, error));
  }

  return {
    async authenticate(headers) {
      const key = headers.get("x-api-key") || bearerToken(headers);
      if (key === undefined) return undefined;
      const hash = hashApiKey(key);
      const record = await keys.byHash(hash);
      // The index has found it by its hash already; comparing again costs nothing and leaks nothing.
      if (record === undefined || !timingSafeEqual(record.hash, hash)) return { refused: 401 };
      const { id, tenantId, userId, scopes, sources } = record;
      const caller = { tenantId, userId, apiKeyId: id };
      if (record.state !== "active") return { refused: 401, caller };
      if (!mayComeFrom(record, headers)) return { refused: 403, caller };
      noteUse(record);
      return { ...caller, scopes: new Set(scopes), sources };
    },
  };
}

/** Only browsers send an origin, and they do not let a page choose it. */
function mayComeFrom({ origins }: KeyRecord, headers: RequestHeaders): boolean {
  const origin = headers.get("origin");
  return origins === null || origin === null || origins.includes(origin);
}

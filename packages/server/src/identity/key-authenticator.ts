import { timingSafeEqual } from "node:crypto";
import type { KeyRecord, KeyStore } from "@quern/adapter";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import { addressOf } from "../common/request-context.ts";
import { hashApiKey } from "./api-key.ts";
import { type Authenticator, bearerToken } from "./authentication.ts";
import type { FailedCredentials } from "./failed-credentials.ts";
import { isInNetworks } from "./network.ts";

/** Minimum time between updates of the last use of a key, since each update is a write. */
const lastUsedMs = 60_000;

/**
 * Creates an authenticator of API keys, sent as `x-api-key` or, without that header, as a bearer token. It reads the
 * key at each call, so that a revocation applies to the next call, or when the record in a cache of `keys` expires.
 */
export function createKeyAuthenticator(
  keys: KeyStore,
  failed: FailedCredentials,
  clock: Clock,
  log: Log,
): Authenticator {
  const writtenAt = new Map<string, Instant>();

  /**
   * Stores the time of the last use. Does not wait for the write, so that calls succeed while the store cannot be
   * written.
   */
  function noteUse({ id }: KeyRecord): void {
    const now = clock.now();
    if (now - (writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) < lastUsedMs) return;
    writtenAt.set(id, now);
    keys.used(id).catch((error: unknown) => log.error(`the last use of key ${id} could not be stored`, error));
  }

  return {
    async authenticate(headers) {
      const key = headers.get("x-api-key") || bearerToken(headers);
      if (key === undefined) return undefined;
      const hash = hashApiKey(key);
      const record = await keys.byHash(hash);
      // The store has already compared the hashes. This comparison takes constant time, whatever the store does.
      if (record === undefined || !timingSafeEqual(record.hash, hash)) return failed(headers);
      const { id, tenantId, userId, scopes, sources } = record;
      const caller = { tenantId, userId, apiKeyId: id };
      if (record.state !== "active") return failed(headers, caller);
      if (!mayComeFrom(record, headers)) return { refused: 403, caller };
      noteUse(record);
      return { ...caller, scopes: new Set(scopes), sources };
    },
  };
}

/**
 * Checks the address of the client, and the origin of a request from a web page, which the page cannot choose. A program
 * outside a browser need not send an origin.
 */
function mayComeFrom({ networks, origins }: KeyRecord, headers: RequestHeaders): boolean {
  if (networks !== null && !isInNetworks(addressOf(headers), networks)) return false;
  const origin = headers.get("origin");
  return origins === null || origin === null || origins.includes(origin);
}

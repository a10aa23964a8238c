import { timingSafeEqual } from "node:crypto";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import { declaredError } from "../declared-error.ts";
import type { KeyStore } from "../store/key-store.ts";
import { hashApiKey } from "./api-key.ts";
import type { Principal } from "./principal.ts";

/**
 * Who an HTTP request comes from, by its key.
 * @throws {MethodError} AuthorizationError with HTTP status 401
 */
export function createAuthentication(keys: KeyStore): (headers: RequestHeaders) => Promise<Principal> {
  return async (headers) => {
    const key = headers.get("x-api-key") ?? bearerToken(headers.get("authorization"));
    if (key === undefined || key === "") throw refused();
    const hash = hashApiKey(key);
    const record = await keys.byHash(hash);
    // The index has found it by its hash already; comparing again costs nothing and leaks nothing.
    if (record === undefined || record.revokedAt !== null || !timingSafeEqual(record.hash, hash)) throw refused();
    return { tenantId: record.tenantId, userId: record.userId, apiKeyId: record.id };
  };
}

function bearerToken(authorization: string | null): string | undefined {
  return /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1];
}

function refused(): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus: 401 });
}

import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { Principal } from "./principal.ts";

/** Tells who an HTTP request comes from, by one kind of credential. */
export interface Authenticator {
  /**
   * Undefined where the request has no credential of this kind.
   * @throws {MethodError} AuthorizationError with HTTP status 401 where it is not good, 403 where it may not be used so
   */
  authenticate(headers: RequestHeaders): Promise<Principal | undefined>;
}

/** The token of `Authorization: Bearer`. */
export function bearerToken(headers: RequestHeaders): string | undefined {
  return /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

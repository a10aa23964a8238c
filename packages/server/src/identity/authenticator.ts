import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { KnownCaller, Principal } from "./principal.ts";

/** A credential that is not good (401), or may not be used so (403). */
export interface Refusal {
  readonly refused: 401 | 403;
  /** Whose it is, where that is known. */
  readonly caller?: KnownCaller;
}

/** Tells who an HTTP request comes from, by one kind of credential. */
export interface Authenticator {
  /** Undefined where the request has no credential of this kind. */
  authenticate(headers: RequestHeaders): Promise<Principal | Refusal | undefined>;
}

/** The token of `Authorization: Bearer`. */
export function bearerToken(headers: RequestHeaders): string | undefined {
  return /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

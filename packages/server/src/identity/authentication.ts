import type { RequestHeaders } from "@quern/json-rpc/handler";
import { declaredError } from "../declared-error.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Principal } from "./principal.ts";

/**
 * Who an HTTP request comes from: the first authenticator decides that knows its kind of credential.
 * @throws {MethodError} AuthorizationError with HTTP status 401 or 403
 */
export function createAuthentication(
  authenticators: readonly Authenticator[],
): (headers: RequestHeaders) => Promise<Principal> {
  return async (headers) => {
    for (const authenticator of authenticators) {
      const principal = await authenticator.authenticate(headers);
      if (principal !== undefined) return principal;
    }
    throw unauthenticated();
  };
}

/** The credential is missing or not good; the caller is not told which. */
export function unauthenticated(): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus: 401 });
}

/** The credential is good, and does not allow this. */
export function forbidden(): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus: 403 });
}

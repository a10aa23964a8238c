import type { RequestHeaders } from "@quern/json-rpc/handler";
import { declaredError } from "../common/declared-error.ts";
import type { KnownCaller, Principal } from "./principal.ts";

/** Refused request: its credential is missing or invalid (401), or valid but not allowed here (403). */
export interface Refusal {
  readonly refused: 401 | 403;
  /** Owner of the credential, if known. */
  readonly caller?: KnownCaller;
}

/** Checks one kind of credential. */
export interface Authenticator {
  /** Returns undefined for a request without a credential of this kind. */
  authenticate(headers: RequestHeaders): Promise<Principal | Refusal | undefined>;
}

/** Returns the token of `Authorization: Bearer`; undefined without one. */
export function bearerToken(headers: RequestHeaders): string | undefined {
  return /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/**
 * Creates a function that authenticates an HTTP request. The first authenticator that finds a credential of its kind
 * decides. For a refused request the function throws AuthorizationError (`MethodError`) with HTTP status 401 or 403.
 * The error does not say why.
 */
export function createAuthentication(
  authenticators: readonly Authenticator[],
  onRefused: (headers: RequestHeaders, refusal: Refusal) => void,
): (headers: RequestHeaders) => Promise<Principal> {
  return async (headers) => {
    const answer = await firstAnswer(authenticators, headers);
    if (!("refused" in answer)) return answer;
    onRefused(headers, answer);
    throw authorizationError(answer.refused);
  };
}

async function firstAnswer(authenticators: readonly Authenticator[], headers: RequestHeaders) {
  for (const authenticator of authenticators) {
    const answer = await authenticator.authenticate(headers);
    if (answer !== undefined) return answer;
  }
  return { refused: 401 } as const;
}

/** Returns the error for a valid credential that does not allow the call. */
export function forbidden(): Error {
  return authorizationError(403);
}

function authorizationError(httpStatus: number): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus });
}

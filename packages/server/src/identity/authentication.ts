import type { RequestHeaders } from "@quern/json-rpc/handler";
import { declaredError } from "../common/declared-error.ts";
import type { KnownCaller, Principal } from "./principal.ts";
import { rateLimited } from "./rate-limit.ts";

/**
 * Refused request: its credential is missing or invalid (401), or valid but not allowed here (403), or invalid like too
 * many before it from the same address (429).
 */
export interface Refusal {
  readonly refused: 401 | 403 | 429;
  /** Milliseconds after which the client may try another credential; set for 429 only. */
  readonly retryAfterMs?: number;
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
 * decides. For a refused request the function throws a `MethodError`: AuthorizationError with HTTP status 401 or 403,
 * which does not say why, or RateLimited with HTTP status 429.
 */
export function createAuthentication(
  authenticators: readonly Authenticator[],
  onRefused: (headers: RequestHeaders, refusal: Refusal) => void,
): (headers: RequestHeaders) => Promise<Principal> {
  return async (headers) => {
    const answer = await firstAnswer(authenticators, headers);
    if (!("refused" in answer)) return answer;
    onRefused(headers, answer);
    throw answer.refused === 429 ? rateLimited(answer.retryAfterMs ?? 0) : authorizationError(answer.refused);
  };
}

async function firstAnswer(
  authenticators: readonly Authenticator[],
  headers: RequestHeaders,
): Promise<Principal | Refusal> {
  for (const authenticator of authenticators) {
    const answer = await authenticator.authenticate(headers);
    if (answer !== undefined) return answer;
  }
  return { refused: 401 };
}

/** Returns the error for a valid credential that does not allow the call. */
export function forbidden(): Error {
  return authorizationError(403);
}

function authorizationError(httpStatus: number): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus });
}

import type { RequestHeaders } from "@quern/json-rpc/handler";
import { declaredError } from "../common/declared-error.ts";
import type { Authenticator, Refusal } from "./authenticator.ts";
import type { Principal } from "./principal.ts";

/**
 * Who an HTTP request comes from: the first authenticator decides that knows its kind of credential.
 * @throws {MethodError} AuthorizationError with HTTP status 401 or 403; the caller is not told why
 */
export function createAuthentication(
  authenticators: readonly Authenticator[],
  onRefused: (headers: RequestHeaders, refusal: Refusal) => void,
): (headers: RequestHeaders) => Promise<Principal> {
  return async (headers) => {
    const answer = await firstAnswer(authenticators, headers);
    if (!("refused" in answer)) return answer;
    onRefused(headers, answer);
    throw refusal(answer.refused);
  };
}

async function firstAnswer(authenticators: readonly Authenticator[], headers: RequestHeaders) {
  for (const authenticator of authenticators) {
    const answer = await authenticator.authenticate(headers);
    if (answer !== undefined) return answer;
  }
  return { refused: 401 } as const;
}

/** The credential is good, and does not allow this. */
export function forbidden(): Error {
  return refusal(403);
}

function refusal(httpStatus: number): Error {
  return declaredError("AuthorizationError", undefined, { httpStatus });
}

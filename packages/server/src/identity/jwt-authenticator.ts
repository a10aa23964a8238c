import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InternalError } from "@quern/json-rpc/envelope";
import { MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import { type Authenticator, bearerToken } from "./authentication.ts";
import { isScope, type Principal } from "./principal.ts";

/** Tokens of an identity provider (JWT), sent as `Authorization: Bearer`. */
export interface JwtOptions {
  /** Public keys of the provider (JWKS): a URL, whose answer is cached, or the path of a file. */
  readonly jwks: string;
  /** Required `iss` claim. */
  readonly issuer: string;
  /** Required member of the `aud` claim. */
  readonly audience: string;
  /** Tenant of all tokens, unless `claims.tenant` is set. */
  readonly tenant?: string;
  /** Names of the claims that identify the caller. */
  readonly claims?: {
    /** Claim with the tenant. @default "tenant"; no claim if the option `tenant` is set */
    readonly tenant?: string;
    /** Claim with the user. @default "sub" */
    readonly user?: string;
    /**
     * Claim with the scopes: an array, or a space-separated string. Scopes that Quern does not know are ignored.
     * @default "scope"
     */
    readonly scopes?: string;
    /**
     * Claim with the data sources that the caller may query: an array, or a space-separated string. A token without the
     * claim allows none.
     * @default no claim: each token allows all sources
     */
    readonly sources?: string;
  };
}

/** Asymmetric algorithms only, so that the service cannot sign tokens with the keys it has. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Allowed difference between the clocks of provider and service. */
const clockToleranceSeconds = 30;

/** Codes of the errors of `jose` that mean that the keys are unavailable, not that the token is invalid. */
const keyErrors: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);

/**
 * Creates an authenticator of JWTs. It logs an unreachable provider, and retries at the next token.
 * @throws if the key file cannot be read, or is not a JWKS
 */
export async function createJwtAuthenticator(options: JwtOptions, clock: Clock, log: Log): Promise<Authenticator> {
  const { issuer, audience } = options;
  const keys = await keySet(options.jwks);
  let isUnavailable = false;

  /** Logs the first failure of a series. */
  function noteUnavailable(error: unknown): void {
    if (!isUnavailable) log.error(`the keys of the identity provider are unavailable: ${options.jwks}`, error);
    isUnavailable = true;
  }

  await keys.reload?.().catch(noteUnavailable);

  /** Returns the claims of a token; undefined for an invalid one. @throws {MethodError} if the keys are unavailable */
  async function verified(token: string): Promise<JWTPayload | undefined> {
    const currentDate = new Date(clock.now());
    const claims = { issuer, audience, algorithms, clockTolerance: clockToleranceSeconds, requiredClaims: ["exp"] };
    try {
      const { payload } = await jwtVerify(token, keys, { ...claims, currentDate });
      isUnavailable = false;
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !keyErrors.has(error.code)) return undefined;
      noteUnavailable(error);
      throw providerUnavailable();
    }
  }

  return {
    async authenticate(headers: RequestHeaders) {
      const token = bearerToken(headers);
      // A bearer token may be an API key. A JWT takes precedence over `x-api-key`, which would hide that the JWT has
      // expired.
      if (token === undefined || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return undefined;
      const payload = await verified(token);
      return (payload && principalOf(payload, options)) ?? { refused: 401 };
    },
  };
}

/** Returns an error with HTTP status 503 and not 401, so that the client keeps its token, which may be valid. */
function providerUnavailable(): MethodError {
  const headers = { "retry-after": "5" };
  return new MethodError(InternalError, "The keys of the identity provider are unavailable; retry later", {
    httpStatus: 503,
    headers,
  });
}

async function keySet(jwks: string): Promise<JWTVerifyGetKey & { readonly reload?: () => Promise<void> }> {
  if (/^https?:/.test(jwks)) return createRemoteJWKSet(new URL(jwks), { timeoutDuration: 5_000 });
  return createLocalJWKSet(JSON.parse(await readFile(jwks, "utf8")));
}

function principalOf(payload: JWTPayload, { claims = {}, tenant }: JwtOptions): Principal | undefined {
  const tenantId = claims.tenant === undefined && tenant !== undefined ? tenant : payload[claims.tenant ?? "tenant"];
  const userId = payload[claims.user ?? "sub"];
  if (typeof tenantId !== "string" || typeof userId !== "string" || tenantId === "" || userId === "") return undefined;
  const scopes = new Set(textsOf(payload[claims.scopes ?? "scope"]).filter(isScope));
  const sources = claims.sources === undefined ? null : textsOf(payload[claims.sources]);
  // All tokens of a user have the same id, so rate limits and idempotency keys outlive a token.
  const id = createHash("sha256")
    .update(JSON.stringify([payload.iss, tenantId, userId]))
    .digest("hex")
    .slice(0, 12);
  return { tenantId, userId, apiKeyId: `jwt_${id}`, scopes, sources };
}

function textsOf(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter((text) => typeof text === "string");
  return typeof claim === "string" ? claim.split(" ") : [];
}

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InternalError } from "@quern/json-rpc/envelope";
import { MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import { type JwtOptions, settingTable } from "../generated/settings.ts";
import { firstTenant } from "./api-key.ts";
import { type Authenticator, bearerToken } from "./authentication.ts";
import type { FailedCredentials } from "./failed-credentials.ts";
import { isInNetworks } from "./network.ts";
import { isScope, type Principal } from "./principal.ts";

/** Asymmetric algorithms only, so that the service cannot sign tokens with the keys it has. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Allowed difference between the clocks of provider and service. */
const clockToleranceSeconds = 30;
const defaults = settingTable.jwt.members;

/** Codes of the errors of `jose` that mean that the keys are unavailable, not that the token is invalid. */
const keyErrors: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);

/**
 * Creates an authenticator of JWTs. It logs an unreachable provider, and retries at the next token.
 * @throws if the key file cannot be read or is not a JWKS, or if the URL of the keys is `http://` with another host
 *   than a loopback address
 */
export async function createJwtAuthenticator(
  options: JwtOptions,
  failed: FailedCredentials,
  clock: Clock,
  log: Log,
): Promise<Authenticator> {
  const { issuer, audience, maxLifetimeSeconds = defaults.maxLifetimeSeconds.default } = options;
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
      return lifetimeSeconds(payload, clock) <= maxLifetimeSeconds ? payload : undefined;
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
      return (payload && principalOf(payload, options)) ?? failed(headers);
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
  if (/^https?:/i.test(jwks)) {
    const url = new URL(jwks);
    if (url.protocol === "http:" && !isLoopback(url.hostname))
      throw new Error(
        `Invalid jwt.jwks: anyone on the network can replace the keys of ${jwks}; use https://, a file, or http:// with a loopback address such as 127.0.0.1.`,
      );
    return createRemoteJWKSet(url, { timeoutDuration: 5_000 });
  }
  try {
    return createLocalJWKSet(JSON.parse(await readFile(jwks, "utf8")));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`Invalid jwt.jwks: expected a file with public keys (JWKS) or a URL, received ${jwks}: ${reason}`, {
      cause: error,
    });
  }
}

function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return hostname === "localhost" || isInNetworks(address, ["127.0.0.0/8", "::1/128"]);
}

/** Returns the longer one of the whole lifetime of a token, if it has `iat`, and of the time until it expires. */
function lifetimeSeconds({ exp = Number.POSITIVE_INFINITY, iat }: JWTPayload, clock: Clock): number {
  const remaining = exp - clock.now() / 1_000 - clockToleranceSeconds;
  return iat === undefined ? remaining : Math.max(exp - iat, remaining);
}

function principalOf(payload: JWTPayload, { claims = {}, tenant }: JwtOptions): Principal | undefined {
  const isFixed = claims.tenant === undefined && tenant !== undefined;
  const tenantId = isFixed ? tenant : payload[claims.tenant ?? "tenant"];
  const userId = payload[claims.user ?? defaults.claims.members.user.default];
  if (typeof tenantId !== "string" || typeof userId !== "string" || tenantId === "" || userId === "") return undefined;
  if (!isFixed && tenantId === firstTenant.tenantId) return undefined;
  const scopes = new Set(textsOf(payload[claims.scopes ?? defaults.claims.members.scopes.default]).filter(isScope));
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

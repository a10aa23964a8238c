import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InternalError } from "@quern/json-rpc/envelope";
import { MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import { type Authenticator, bearerToken } from "./authenticator.ts";
import type { Principal } from "./principal.ts";
import { isScope } from "./scope.ts";

/** Tokens of an identity provider, as `Authorization: Bearer`. */
export interface JwtOptions {
  /** The public keys of the provider: the URL of its JWKS, which is kept for a while, or a file of it. */
  readonly jwks: string;
  /** Must be the token's `iss`. */
  readonly issuer: string;
  /** Must be among the token's `aud`. */
  readonly audience: string;
  /** The tenant of all tokens, where no claim says it. */
  readonly tenant?: string;
  /** Which claims say who calls. */
  readonly claims?: {
    /** `tenant` where left out. */
    readonly tenant?: string;
    /** `sub` where left out. */
    readonly user?: string;
    /** A list, or a text with spaces; `scope` where left out. What is no scope of Quern is passed over. */
    readonly scopes?: string;
    /** A list, or a text with spaces: the data sources that may be queried, none where a token lacks it. All where left out. */
    readonly sources?: string;
  };
}

/** Only signatures by a private key that the service does not have. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** How far the clocks of provider and service may be apart. */
const clockToleranceSeconds = 30;

/** Errors of the library that say nothing of the token: the keys could not be had. */
const keyErrors: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);

/** @throws where the file of the keys cannot be read; a provider that is away is told to the log */
export async function createJwtAuthenticator(options: JwtOptions, clock: Clock, log: Log): Promise<Authenticator> {
  const { issuer, audience } = options;
  const keys = await keySet(options.jwks);
  let isAway = false;

  function noteAway(error: unknown): void {
    if (!isAway) log.error("the keys of the identity provider cannot be had", error);
    isAway = true;
  }

  await keys.reload?.().catch(noteAway);

  /** Undefined where the token is not good. */
  async function verified(token: string): Promise<JWTPayload | undefined> {
    const currentDate = new Date(clock.now());
    const claims = { issuer, audience, algorithms, clockTolerance: clockToleranceSeconds, requiredClaims: ["exp"] };
    try {
      const { payload } = await jwtVerify(token, keys, { ...claims, currentDate });
      isAway = false;
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !keyErrors.has(error.code)) return undefined;
      noteAway(error);
      throw providerAway();
    }
  }

  return {
    async authenticate(headers: RequestHeaders) {
      const token = bearerToken(headers);
      // API keys may come as bearer tokens, too. A JWT takes precedence over `x-api-key`, which would hide that the JWT has expired.
      if (token === undefined || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return undefined;
      const payload = await verified(token);
      return (payload && principalOf(payload, options)) ?? { refused: 401 };
    },
  };
}

/** The token may be as good as ever: the caller is to keep it. */
function providerAway(): MethodError {
  const headers = { "retry-after": "5" };
  return new MethodError(InternalError, "The identity provider does not answer", { httpStatus: 503, headers });
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
  // The same for each token of a user, so that rates and idempotency keys outlive a token.
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

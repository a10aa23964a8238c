import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { JwtOptions } from "../../src/generated/settings.ts";
import { countFailedCredentials } from "../../src/identity/failed-credentials.ts";
import { createJwtAuthenticator } from "../../src/identity/jwt-authenticator.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

const issuer = "https://id.example.com";
const audience = "quern";
const now = 1_800_000_000;
const clock = createTestClock(now * 1_000);

let directory: string;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
  keys = await generateKeyPair("ES256");
});
afterAll(() => rm(directory, { recursive: true }));

/** Writes the public keys to a file, and returns an authenticator that reads it. */
async function authenticatorOf(options: Partial<JwtOptions> = {}, publicKey = keys.publicKey) {
  const jwks = join(directory, `${crypto.randomUUID()}.json`);
  await writeFile(jwks, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  const { authenticate } = await createJwtAuthenticator(
    { jwks, issuer, audience, ...options },
    countFailedCredentials({ maxFailedKeysPerMinute: 1_000 }, clock),
    clock,
    { error: () => {} },
  );
  return (bearer: string) => authenticate(new Headers({ authorization: `Bearer ${bearer}` }));
}

function token(claims: object = {}, alg = "ES256", { privateKey } = keys): Promise<string> {
  const payload = { iss: issuer, aud: audience, tenant: "acme", sub: "ann", exp: now + 60, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(privateKey);
}

const refused = { refused: 401 };

it("returns the caller of a token, with a short id of the issuer, tenant and user", async () => {
  const authenticate = await authenticatorOf();
  expect(await authenticate(await token({ scope: "openid read run" }))).toEqual({
    tenantId: "acme",
    userId: "ann",
    apiKeyId: "jwt_bd314c07cfdc",
    scopes: new Set(["read", "run"]),
    sources: null,
  });
  expect(await authenticate(await token({ scope: ["cancel", 7, "write"] }))).toMatchObject({
    scopes: new Set(["cancel"]),
  });
  expect(await authenticate(await token())).toMatchObject({ scopes: new Set() });
});

it.each([{ tenant: "" }, { sub: "" }, { tenant: 7 }, { sub: null }])("refuses a token with %j", async (claims) => {
  expect(await (await authenticatorOf())(await token(claims))).toEqual(refused);
});

it("accepts a token for 30 seconds after its end, and no longer", async () => {
  const authenticate = await authenticatorOf();
  expect(await authenticate(await token({ exp: now - 29 }))).toMatchObject({ userId: "ann" });
  expect(await authenticate(await token({ exp: now - 30 }))).toEqual(refused);
});

it("allows the difference of the clocks in the lifetime of a token without its beginning", async () => {
  const authenticate = await authenticatorOf({ maxLifetimeSeconds: 300 });
  expect(await authenticate(await token({ exp: now + 330 }))).toMatchObject({ userId: "ann" });
  expect(await authenticate(await token({ exp: now + 331 }))).toEqual(refused);
  expect(await authenticate(await token({ exp: now + 331, iat: now + 300 }))).toEqual(refused);
});

it.each(["a.b", "!a.b.c", "a.b.c!", ".b.c", "a..c", "a.b.c.d", "qk_0123abcd_secret"])(
  "takes the bearer %s for no token",
  async (bearer) => {
    expect(await (await authenticatorOf())(bearer)).toBeUndefined();
  },
);

it.each(["a.b.c", "a.b."])("refuses the malformed token %s", async (bearer) => {
  expect(await (await authenticatorOf())(bearer)).toEqual(refused);
});

it("accepts the asymmetric algorithms", async () => {
  const pairs = {
    RS256: await generateKeyPair("RS256", { extractable: true }),
    ES384: await generateKeyPair("ES384"),
    ES512: await generateKeyPair("ES512"),
    EdDSA: await generateKeyPair("EdDSA"),
  };
  const accepted: string[] = [];
  for (const [alg, pair] of Object.entries(pairs)) {
    const authenticate = await authenticatorOf({}, pair.publicKey);
    const answer = await authenticate(await token({}, alg, pair));
    if (answer && "userId" in answer) accepted.push(alg);
  }
  const rsa = await exportJWK(pairs.RS256.privateKey);
  const authenticate = await authenticatorOf({}, pairs.RS256.publicKey);
  for (const alg of ["RS384", "RS512", "PS256", "PS384", "PS512"]) {
    const payload = { iss: issuer, aud: audience, tenant: "acme", sub: "ann", exp: now + 60 };
    const signed = await new SignJWT(payload).setProtectedHeader({ alg }).sign({ ...rsa, alg });
    const answer = await authenticate(signed);
    if (answer && "userId" in answer) accepted.push(alg);
  }
  expect(accepted).toEqual(["RS256", "ES384", "ES512", "EdDSA", "RS384", "RS512", "PS256", "PS384", "PS512"]);
});

it("takes a path that contains a scheme for a file", async () => {
  const log = { error: () => {} };
  await expect(
    createJwtAuthenticator(
      { jwks: "keys/https://a.example", issuer, audience },
      countFailedCredentials({}, clock),
      clock,
      log,
    ),
  ).rejects.toThrow("Invalid jwt.jwks: expected a file with public keys (JWKS) or a URL");
});

it("logs that the provider is unavailable once more after it was available", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let isUp = true;
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one" }] });
  const provider = createServer((_, response) => response.writeHead(isUp ? 200 : 502).end(jwks));
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void provider.close());
  const { port } = provider.address() as AddressInfo; // an address on a port
  const logged: string[] = [];
  const log = { error: (message: string) => void logged.push(message) };
  const url = `http://127.0.0.1:${port}/`;
  const { authenticate } = await createJwtAuthenticator(
    { jwks: url, issuer, audience },
    countFailedCredentials({}, clock),
    clock,
    log,
  );
  const call = async (kid: string) => {
    const payload = { iss: issuer, aud: audience, tenant: "acme", sub: "ann", exp: now + 60 };
    const bearer = await new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid }).sign(keys.privateKey);
    return authenticate(new Headers({ authorization: `Bearer ${bearer}` }));
  };
  /** Lets the library fetch the keys again for an unknown key. */
  const pass = () => vi.advanceTimersByTime(31_000);
  isUp = false;
  for (let count = 0; count < 2; count += 1) {
    pass();
    await expect(call("other")).rejects.toThrow("The keys of the identity provider are unavailable; retry later");
  }
  expect(logged).toEqual([`the keys of the identity provider are unavailable: ${url}`]);
  expect(await call("one")).toMatchObject({ userId: "ann" });
  pass();
  await expect(call("other")).rejects.toMatchObject({ httpStatus: 503, headers: { "retry-after": "5" } });
  expect(logged).toHaveLength(2);
});

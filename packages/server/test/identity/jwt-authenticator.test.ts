import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Log } from "@quern/server";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { countFailedCredentials } from "../../src/identity/failed-credentials.ts";
import { createJwtAuthenticator } from "../../src/identity/jwt-authenticator.ts";
import { idleKind, startServer, temporaryDirectory } from "../fixture.ts";
import { caller, callWith } from "./callers.ts";

const issuer = "https://id.example.com";
const audience = "quern";
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let strange: typeof keys;
let jwks: string;
let provider: Server;
let providerUrl: string;
let fetched = 0;

beforeAll(async () => {
  keys = await generateKeyPair("ES256");
  strange = await generateKeyPair("ES256");
  jwks = JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256" }] });
  provider = createServer((_, response) => {
    fetched += 1;
    response.setHeader("content-type", "application/json").end(jwks);
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo; // an address on a port
  providerUrl = `http://127.0.0.1:${port}/jwks.json`;
});
afterAll(() => {
  provider.close();
});

const failed = countFailedCredentials({}, { now: Date.now });
const claims = { tenant: "acme", sub: "ann", scope: "openid read run" };

function token(change: object = {}, { privateKey } = keys, lifetime: string | number = "5m"): Promise<string> {
  return new SignJWT({ iss: issuer, aud: audience, ...claims, ...change })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(privateKey);
}

async function statusOf(url: string, bearer: string, method = "listQueryRuns", params: object = {}): Promise<number> {
  const body = { jsonrpc: "2.0", id: 1, method, params: [params] };
  return (await callWith(url, { authorization: `Bearer ${bearer}` }, body)).status;
}

it("takes tokens of the provider, fetches its keys once, and maps claims to tenant, user and scopes", async () => {
  const before = fetched;
  await using server = await startServer({ kind: idleKind, jwt: { jwks: providerUrl, issuer, audience } });
  const bearer = await token();
  const create = await callWith(
    server.url,
    { authorization: `Bearer ${bearer}` },
    {
      jsonrpc: "2.0",
      id: 1,
      method: "createQueryRun",
      params: [{ sql: "select 1" }],
    },
  );
  expect(await create.json()).toMatchObject({ result: { queryRun: { userId: "ann" } } });
  expect(await statusOf(server.url, bearer, "cancelQueryRun", { queryRunId: "x" })).toBe(403);
  expect(fetched - before).toBe(1);
  // Another tenant's user of the same name has other runs.
  const other = await callWith(
    server.url,
    { authorization: `Bearer ${await token({ tenant: "rival" })}` },
    {
      jsonrpc: "2.0",
      id: 1,
      method: "listQueryRuns",
      params: [{}],
    },
  );
  expect(await other.json()).toMatchObject({ result: { queryRuns: [] } });
});

it("maps a claim to the data sources that may be queried", async () => {
  const sources = ["sales", "stock", "staff"].map((name) => ({ name, provider: "quern" }));
  const jwt = { jwks: providerUrl, issuer, audience, claims: { sources: "data" } };
  await using server = await startServer({ kind: idleKind, sources, jwt });
  const queried = async (change: object) => {
    const authorization = `Bearer ${await token(change)}`;
    const create = async ({ name }: { name: string }) => {
      const body = { jsonrpc: "2.0", id: 1, method: "createQueryRun", params: [{ sql: "select 1", dataSource: name }] };
      const { error } = (await (await callWith(server.url, { authorization }, body)).json()) as { error?: unknown };
      if (error !== undefined) expect(error).toMatchObject({ code: -32_164 });
      return error === undefined ? [name] : [];
    };
    return (await Promise.all(sources.map(create))).flat();
  };
  expect(await queried({ data: ["sales", 7, "stock", "unknown"] })).toEqual(["sales", "stock"]);
  expect(await queried({ data: "sales staff" })).toEqual(["sales", "staff"]);
  expect(await queried({})).toEqual([]);
});

it("refuses a token that is not good", async () => {
  await using server = await startServer({ kind: idleKind, jwt: { jwks: providerUrl, issuer, audience } });
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await token()).split(".")[1]}.`;
  const bad = {
    issuer: await token({ iss: "https://evil.example" }),
    audience: await token({ aud: "another" }),
    signature: await token({}, strange),
    expired: await token({}, keys, Math.floor(Date.now() / 1_000) - 60),
    tenant: await token({ tenant: undefined }),
    user: await token({ sub: 7 }),
    unsigned,
  };
  for (const [what, bearer] of Object.entries(bad))
    expect([what, await statusOf(server.url, bearer)]).toEqual([what, 401]);
  expect(await statusOf(server.url, await token())).toBe(200);
});

it("takes the token where a key comes too, good or bad, and the key where the bearer is no token", async () => {
  await using server = await startServer({ kind: idleKind, jwt: { jwks: providerUrl, issuer, audience } });
  const { key } = await caller(server, { user: "bob" });
  const withBoth = async (url: string, bearer: string, apiKey: string) => {
    const credentials = { authorization: `Bearer ${bearer}`, "x-api-key": apiKey };
    const create = { jsonrpc: "2.0", id: 1, method: "createQueryRun", params: [{ sql: "select 1" }] };
    const response = await callWith(url, credentials, create);
    const { result } = (await response.json()) as { result?: { queryRun: { userId: string } } };
    return result?.queryRun.userId ?? response.status;
  };
  const expired = await token({}, keys, Math.floor(Date.now() / 1_000) - 60);
  expect(await withBoth(server.url, await token(), key)).toBe("ann");
  expect(await withBoth(server.url, await token(), "wrong")).toBe("ann");
  // The key does not stand in: the caller would not notice that its token has expired.
  expect(await withBoth(server.url, expired, key)).toBe(401);
  expect(await withBoth(server.url, "a-token-of-the-gateway", key)).toBe("bob");
  expect(await withBoth(server.url, key, "wrong")).toBe(401);
  expect(await withBoth(server.url, key, "")).toBe("bob");

  await using plain = await startServer({ kind: idleKind });
  const { key: other } = await caller(plain, { user: "eve" });
  expect(await withBoth(plain.url, await token(), other)).toBe("eve");
});

it("answers 503 while the provider is unavailable, logs it once, and accepts tokens afterwards", async () => {
  let answer: number | string = 502;
  const troubled = createServer((_, response) => {
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.end(answer);
  });
  await new Promise<void>((resolve) => troubled.listen(0, "127.0.0.1", resolve));
  const { port } = troubled.address() as AddressInfo; // an address on a port
  const logged: string[] = [];
  const log: Log = { error: (message, error) => logged.push(`${message}: ${error}`) };
  await using server = await startServer({
    kind: idleKind,
    log,
    jwt: { jwks: `http://127.0.0.1:${port}/`, issuer, audience },
  });
  expect(logged).toEqual([
    expect.stringMatching(/^the keys of the identity provider are unavailable: http\S+: .*200 OK/),
  ]);
  for (const broken of [502, "no JSON", "{}"]) {
    answer = broken;
    const authorization = `Bearer ${await token()}`;
    const response = await callWith(server.url, { authorization }, { jsonrpc: "2.0", id: 1, method: "listQueryRuns" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  }
  answer = jwks;
  expect(await statusOf(server.url, await token())).toBe(200);
  expect(logged).toHaveLength(1);
  troubled.close();
});

it("reads the keys of a file, and the claims the operator names", async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, "jwks.json");
  await writeFile(file, jwks);
  const names = { user: "email", scopes: "permissions" };
  await using server = await startServer({
    kind: idleKind,
    jwt: { jwks: file, issuer, audience, tenant: "acme", claims: names },
  });
  const bearer = await token({ tenant: undefined, email: "ann@example.com", permissions: ["read", "admin"] });
  expect(await statusOf(server.url, bearer)).toBe(200);
  expect(await statusOf(server.url, bearer, "createQueryRun", { sql: "select 1" })).toBe(403);
  await rm(directory, { recursive: true });
});

it("refuses a token whose lifetime is longer than the maximum, also near its end", async () => {
  const now = Math.floor(Date.now() / 1_000);
  const jwt = { jwks: providerUrl, issuer, audience };
  const signed = (payload: object) =>
    new SignJWT({ iss: issuer, aud: audience, ...claims, ...payload })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .sign(keys.privateKey);
  await using server = await startServer({ kind: idleKind, jwt });
  expect(await statusOf(server.url, await signed({ iat: now, exp: now + 86_400 }))).toBe(200);
  expect(await statusOf(server.url, await signed({ iat: now, exp: now + 86_401 }))).toBe(401);
  expect(await statusOf(server.url, await signed({ iat: now - 90_000, exp: now + 60 }))).toBe(401);
  expect(await statusOf(server.url, await signed({ exp: now + 86_400 }))).toBe(200);
  expect(await statusOf(server.url, await signed({ exp: now + 87_000 }))).toBe(401);
  await using strict = await startServer({ kind: idleKind, jwt: { ...jwt, maxLifetimeSeconds: 300 } });
  expect(await statusOf(strict.url, await signed({ iat: now, exp: now + 300 }))).toBe(200);
  expect(await statusOf(strict.url, await signed({ iat: now, exp: now + 301 }))).toBe(401);
});

it("lets no claim have the tenant of the first key, unless the option tenant is set to it", async () => {
  const jwt = { jwks: providerUrl, issuer, audience };
  await using claimed = await startServer({ kind: idleKind, jwt });
  expect(await statusOf(claimed.url, await token({ tenant: "tenant_first" }))).toBe(401);
  const both = { ...jwt, tenant: "tenant_first", claims: { tenant: "org" } };
  await using named = await startServer({ kind: idleKind, jwt: both });
  expect(await statusOf(named.url, await token({ org: "tenant_first" }))).toBe(401);
  await using configured = await startServer({ kind: idleKind, jwt: { ...jwt, tenant: "tenant_first" } });
  expect(await statusOf(configured.url, await token())).toBe(200);
});

it.each([
  "http://id.example.com/jwks",
  "http://10.0.0.1/jwks",
  "HTTP://127.example.com/",
  "http://[::2]/",
  "http://localhost.example.com/",
])("refuses keys that come without encryption from another machine: %s", async (url) => {
  const log: Log = { error: () => {} };
  await expect(createJwtAuthenticator({ jwks: url, issuer, audience }, failed, { now: Date.now }, log)).rejects.toThrow(
    `Invalid jwt.jwks: anyone on the network can replace the keys of ${url}`,
  );
});

it("names the setting of a key file that it cannot read", async () => {
  const log: Log = { error: () => {} };
  await expect(
    createJwtAuthenticator({ jwks: "none.json", issuer, audience }, failed, { now: Date.now }, log),
  ).rejects.toThrow("Invalid jwt.jwks: expected a file with public keys (JWKS) or a URL, received none.json: ENOENT");
});

it.each(["http://localhost:1/", "http://127.8.9.1:1/", "http://[::1]:1/"])(
  "accepts keys from this machine: %s",
  async (url) => {
    const logged: string[] = [];
    const log: Log = { error: (message) => void logged.push(message) };
    await createJwtAuthenticator({ jwks: url, issuer, audience }, failed, { now: Date.now }, log);
    expect(logged).toEqual([`the keys of the identity provider are unavailable: ${url}`]);
  },
);

it("counts refused tokens and refused keys of an address together, and accepts its valid tokens", async () => {
  const limits = { maxFailedKeysPerMinute: 2 };
  await using server = await startServer({ kind: idleKind, limits, jwt: { jwks: providerUrl, issuer, audience } });
  const keyStatus = async () => (await callWith(server.url, { "x-api-key": "wrong" }, {})).status;
  const bad = await token({}, strange);
  expect([await statusOf(server.url, bad), await keyStatus()]).toEqual([401, 401]);
  expect([await statusOf(server.url, bad), await keyStatus()]).toEqual([429, 429]);
  expect(await statusOf(server.url, await token())).toBe(200);
});

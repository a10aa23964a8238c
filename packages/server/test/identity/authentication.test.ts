import { createHash } from "node:crypto";
import type { KeyRecord, KeyStore } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { bearerToken, createAuthentication, forbidden, type Refusal } from "../../src/identity/authentication.ts";
import { countFailedCredentials } from "../../src/identity/failed-credentials.ts";
import { createKeyAuthenticator } from "../../src/identity/key-authenticator.ts";
import { isScope, mayQuery, type Principal, scopes, userFilterOf } from "../../src/identity/principal.ts";
import { createTestClock } from "../fixture.ts";

const principal: Principal = {
  tenantId: "acme",
  userId: "ann",
  apiKeyId: "key_1",
  scopes: new Set(["read"]),
  sources: ["a"],
};

it("asks the authenticators in their order, until one finds a credential", async () => {
  const [none, first, second] = [undefined, principal, { refused: 403 } as const].map((answer) => ({
    authenticate: vi.fn(async () => answer),
  }));
  if (!none || !first || !second) throw new Error("no authenticators");
  const authenticate = createAuthentication([none, first, second], () => {});
  expect(await authenticate(new Headers())).toBe(principal);
  expect([none, first, second].map((each) => each.authenticate.mock.calls.length)).toEqual([1, 1, 0]);
});

it.each<[Refusal | undefined, object]>([
  [undefined, { httpStatus: 401 }],
  [{ refused: 401 }, { httpStatus: 401 }],
  [{ refused: 403 }, { httpStatus: 403 }],
  [
    { refused: 429, retryAfterMs: 1_500 },
    { httpStatus: 429, data: { retryAfterMs: 1_500 }, headers: { "retry-after": "2" } },
  ],
  [{ refused: 429 }, { httpStatus: 429, data: { retryAfterMs: 0 } }],
])("refuses a call for %j, and reports that", async (answer, error) => {
  const refusals: unknown[] = [];
  const headers = new Headers();
  const authenticate = createAuthentication([{ authenticate: async () => answer }], (...refused) =>
    refusals.push(refused),
  );
  await expect(authenticate(headers)).rejects.toMatchObject(error);
  expect(refusals).toEqual([[headers, answer ?? { refused: 401 }]]);
});

it("forbids a call with the status 403", () => {
  expect(forbidden()).toMatchObject({ httpStatus: 403 });
});

it("knows the scopes, and what a caller may see and query", () => {
  expect(scopes.map(isScope)).toEqual([true, true, true, true]);
  expect(["", "admin", undefined].map(isScope)).toEqual([false, false, false]);
  expect(userFilterOf(principal)).toBe("ann");
  expect(userFilterOf({ ...principal, scopes: new Set(["tenant:admin"]) })).toBeUndefined();
  expect([mayQuery(principal, "a"), mayQuery(principal, "b"), mayQuery({ sources: null }, "b")]).toEqual([
    true,
    false,
    true,
  ]);
});

const record = {
  id: "key_1",
  tenantId: "acme",
  userId: "ann",
  state: "active",
  networks: null,
  origins: null,
  scopes: ["run", "read"],
  sources: ["a"],
} as unknown as KeyRecord;

/** Authenticator of a store with one key, whose text is `right`. */
function authenticator(change: Partial<KeyRecord> = {}, maxFailedKeysPerMinute?: number) {
  const clock = createTestClock();
  const used = vi.fn(async () => {});
  const hash = createHash("sha256").update("right").digest();
  const keys = {
    used,
    byHash: async (wanted: Uint8Array) =>
      Buffer.compare(wanted, hash) === 0 ? { ...record, hash, ...change } : undefined,
  } as unknown as KeyStore;
  const options = maxFailedKeysPerMinute === undefined ? {} : { maxFailedKeysPerMinute };
  const { authenticate } = createKeyAuthenticator(keys, countFailedCredentials(options, clock), clock, {
    error: () => {},
  });
  const call = (headers: Record<string, string>, address?: string) =>
    authenticate(Object.assign(new Headers(headers), { address }));
  return { clock, used, call };
}

const caller = { tenantId: "acme", userId: "ann", apiKeyId: "key_1" };

it("accepts a key as x-api-key, or else as a bearer token", async () => {
  const { call } = authenticator();
  const accepted = { ...caller, scopes: new Set(["run", "read"]), sources: ["a"] };
  expect(await call({ "x-api-key": "right" })).toEqual(accepted);
  expect(await call({ authorization: "Bearer right" })).toEqual(accepted);
  expect(await call({ "x-api-key": "", authorization: "Bearer right" })).toEqual(accepted);
  expect(await call({ "x-api-key": "wrong", authorization: "Bearer right" })).toEqual({ refused: 401 });
  expect(await call({})).toBeUndefined();
});

it("names the owner of a key that is not active, and refuses a key whose stored hash differs", async () => {
  expect(await authenticator({ state: "revoked" }).call({ "x-api-key": "right" })).toEqual({ refused: 401, caller });
  expect(await authenticator({ hash: Buffer.alloc(32) }).call({ "x-api-key": "right" })).toEqual({ refused: 401 });
});

it("accepts a key from its origins, and from programs, which send no origin", async () => {
  const { call } = authenticator({ origins: ["https://a.example"] });
  expect(await call({ "x-api-key": "right", origin: "https://a.example" })).toMatchObject(caller);
  expect(await call({ "x-api-key": "right" })).toMatchObject(caller);
  expect(await call({ "x-api-key": "right", origin: "https://b.example" })).toEqual({ refused: 403, caller });
  expect(await authenticator().call({ "x-api-key": "right", origin: "https://b.example" })).toMatchObject(caller);
});

it("stores the last use of a key once a minute", async () => {
  const { call, used, clock } = authenticator();
  for (const ms of [0, 1, 59_998, 1, 59_999]) {
    clock.advance(ms);
    await call({ "x-api-key": "right" });
  }
  expect(used.mock.calls).toEqual([["key_1"], ["key_1"]]);
});

it("delays wrong keys beyond the rate by the time of the next attempt", async () => {
  const { call, clock } = authenticator({}, 2);
  const wrong = { "x-api-key": "wrong" };
  expect([await call(wrong), await call(wrong)]).toEqual([{ refused: 401 }, { refused: 401 }]);
  expect(await call(wrong)).toEqual({ refused: 429, retryAfterMs: 30_000 });
  clock.advance(30_000);
  expect(await call(wrong)).toEqual({ refused: 401 });
});

it.each([
  ["Bearer a", "a"],
  ["bearer  a b", "a b"],
  ["Bearer a, Basic b", "a, Basic b"],
  ["Bearera", undefined],
  ["Bearer ", undefined],
  ["x Bearer a", undefined],
  ["Basic a", undefined],
])("reads the token of the header %s", (authorization, token) => {
  expect(bearerToken({ get: () => authorization })).toBe(token);
});

it("accepts a key from its networks only", async () => {
  const { call } = authenticator({ networks: ["10.0.0.0/8"] });
  expect(await call({ "x-api-key": "right" }, "10.1.2.3")).toMatchObject(caller);
  expect(await call({ "x-api-key": "right", "x-quern-address": "10.1.2.3" }, "11.1.2.3")).toEqual({
    refused: 403,
    caller,
  });
});

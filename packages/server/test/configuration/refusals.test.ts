import { expect, it } from "vitest";
import { readConfiguration } from "../../src/configuration/configuration.ts";

const file = (text: string) => ({ name: "quern.json", text });
const read = (value: unknown, env = {}) => readConfiguration({ file: file(JSON.stringify(value)), env, flags: {} });
const jwt = { jwks: "a", issuer: "b", audience: "c" };

/** Returns the message for an invalid configuration. */
function refusalOf(value: unknown, env = {}): string {
  try {
    read(value, env);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
}

it.each([
  ["a value that may be a secret", { storePasswordFile: 7 }, "/storePasswordFile (quern.json): expected a string"],
  ["a setting of another group", { issuer: "x" }, "/issuer (quern.json): expected no such member"],
  [
    "a misspelt member of an inner group",
    { jwt: { ...jwt, claims: { tenan: "x" } } },
    "/jwt/claims/tenan (quern.json): expected no such member (did you mean tenant?)",
  ],
  [
    "the passwords of two addresses",
    { port: "a://b:hidden@c d://e:hidden@f" },
    '/port (quern.json): expected an integer, received "a://b:…@c d://e:…@f"',
  ],
  [
    "an address of a source without a kind",
    { sources: [{ name: "a", provider: "b", address: "nowhere" }] },
    "Invalid address of the data source a: it is not a URL; write it as duckdb://host.",
  ],
])("refuses %s", (_, value, message) => {
  expect(refusalOf(value)).toBe(message);
});

it("names the variable of a value within a list", () => {
  const env = { QUERN_SOURCES: '[{"name":"a","provider":7}]' };
  expect(refusalOf({}, env)).toBe("/sources/0/provider (QUERN_SOURCES): expected a string, received 7");
});

it("names no place for a fault that is in none", () => {
  const parts = { env: { QUERN_JWT_JWKS: "a", QUERN_JWT_ISSUER: "b" }, flags: {} };
  expect(() => readConfiguration(parts)).toThrow(/^\/jwt\/audience: expected/);
});

it.each(["x", null, [1]])("replaces the group %j by that of a variable, unless it is a list", (limits) => {
  const env = { QUERN_LIMITS_MAX_BATCH: "2" };
  expect(read({ limits }, env)).toEqual({ limits: { maxBatch: 2 } });
});

it.each(["null", "7", '"text"', "[{}]"])("refuses the file %s", (text) => {
  expect(() => readConfiguration({ file: file(text), env: {}, flags: {} })).toThrow(
    /^quern\.json: expected a JSON object$/,
  );
});

it("parses numbers, booleans and lists of variables, and refuses other texts", () => {
  const env = {
    QUERN_PORT: " 7 ",
    QUERN_TRUSTED_PROXY: "false",
    QUERN_ALLOWED_HOSTS: ' ["a"]',
    QUERN_LEASE_SECONDS: "3.5",
  };
  expect(read({}, env)).toEqual({ port: 7, trustedProxy: false, allowedHosts: ["a"], leaseSeconds: 3.5 });
  expect(refusalOf({}, { QUERN_PORT: " " })).toBe('/port (QUERN_PORT): expected an integer, received " "');
  expect(refusalOf({}, { QUERN_TRUSTED_PROXY: "yes" })).toBe(
    '/trustedProxy (QUERN_TRUSTED_PROXY): expected true or false, received "yes"',
  );
  expect(refusalOf({}, { QUERN_ALLOWED_HOSTS: "[a" })).toBe(
    '/allowedHosts (QUERN_ALLOWED_HOSTS): expected an array, received "[a"',
  );
  expect(refusalOf({}, { QUERN_ADAPTERS: "{a" })).toBe('/adapters (QUERN_ADAPTERS): expected an object, received "{a"');
});

it("reads an object or a list that begins with a space, and an address that contains a bracket", () => {
  expect(read({}, { QUERN_ADAPTERS: ' {"a": "b"}' })).toEqual({ adapters: { a: "b" } });
  const listed = [{ name: "a", provider: "b" }];
  expect(read({}, { QUERN_SOURCES: ` ${JSON.stringify(listed)}` })).toEqual({ sources: listed });
  expect(refusalOf({}, { QUERN_ADAPTERS: "a=b,c" })).toBe(
    '/adapters (QUERN_ADAPTERS): expected an object, received "a=b,c"',
  );
});

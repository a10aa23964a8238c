import { expect, it } from "vitest";
import { apiKeyOf } from "../../src/wire/exchange.ts";

it.each<[Record<string, string>, string | undefined]>([
  [{ "x-api-key": "k" }, "k"],
  [{ "x-api-key": "k", authorization: "Bearer other" }, "k"],
  [{ "x-api-key": "", authorization: "Bearer k" }, "k"],
  [{ authorization: "bearer   k" }, "k"],
  [{ authorization: "BEARER a b" }, "a b"],
  [{ authorization: "Basic Bearer k" }, undefined],
  [{ authorization: "Bearerk" }, undefined],
  [{}, undefined],
])("the key of %j is %j", (headers, key) => {
  expect(apiKeyOf({ get: (name) => headers[name] ?? null })).toBe(key);
});

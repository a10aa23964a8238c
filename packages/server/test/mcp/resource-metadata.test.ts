import { expect, it } from "vitest";
import { resourceMetadata } from "../../src/mcp/resource-metadata.ts";

const jwt = { issuer: "https://login.example", audience: "quern", jwks: "https://login.example/keys" };

it.each([
  [{ host: "a.example" }, "http://a.example/mcp"],
  [{ host: "a.example", "x-forwarded-proto": "https" }, "https://a.example/mcp"],
  [{}, "http://localhost/mcp"],
])("names the address under which a caller reaches the service: %j", (headers, resource) => {
  expect(resourceMetadata({ jwt }, new Headers(headers as Record<string, string>))).toMatchObject({ resource });
});

import { settingsInForce } from "@quern/server";
import { expect, it } from "vitest";
import { limitTable } from "../../src/generated/limits.ts";

const inForce = (configuration: Parameters<typeof settingsInForce>[0], name: string) =>
  settingsInForce(configuration).find((setting) => setting.name === name);

it("returns the configured value, or the default as a number or text, or null", () => {
  const { maxBatch, maxRunningRuns } = limitTable;
  expect(inForce({ limits: { maxBatch: 3 } }, "limits.maxBatch")).toEqual({
    name: "limits.maxBatch",
    variable: "QUERN_LIMITS_MAX_BATCH",
    value: 3,
    isSet: true,
    unit: maxBatch.unit,
    text: maxBatch.text,
  });
  expect(inForce({}, "limits.maxBatch")).toMatchObject({ value: maxBatch.default, isSet: false });
  expect(inForce({}, "limits.maxRunningRuns")).toMatchObject({ value: maxRunningRuns.defaultText, isSet: false });
  expect(inForce({}, "jwt.issuer")).toMatchObject({ value: "none", isSet: false, unit: null });
  expect(inForce({}, "trustedProxy")).toMatchObject({ value: false, isSet: false });
  expect(inForce({}, "publicUrl")).toMatchObject({ value: "the host of the request", isSet: false });
  const jwt = { jwks: "jwks.json", issuer: "https://id.example.com", audience: "quern" };
  expect(inForce({ jwt }, "jwt.issuer")).toMatchObject({ value: "https://id.example.com", isSet: true });
  expect(inForce({ trustedProxy: false }, "trustedProxy")).toMatchObject({ value: false, isSet: true });
});

it("describes every setting, and has a value of each with the defaults of the program", () => {
  const defaults = { dataDir: "data", port: 1, host: "a", logLevel: "error" } as const;
  const all = settingsInForce({ port: 2 }, defaults);
  expect(all.filter(({ value }) => value === null || value === "")).toEqual([]);
  for (const { name, text } of all) expect([name, text]).toEqual([name, expect.stringMatching(/^[A-Z].{14,}\.$/)]);
  const values = Object.fromEntries(all.map(({ name, value, isSet }) => [name, [value, isSet]]));
  expect(values).toMatchObject({ dataDir: ["data", false], port: [2, true], logLevel: ["error", false] });
});

it("has the defaults of the server, with their units", () => {
  const described = settingsInForce({}).filter(({ name, value }) => !name.startsWith("limits.") && value !== null);
  const defaults = described.map(({ name, value, unit }) => [name, unit === null ? value : `${value} ${unit}`]);
  expect(Object.fromEntries(defaults)).toEqual({
    store: "a file in the data directory",
    storePasswordFile: "none",
    storeCacheSeconds: "5 seconds",
    leaseSeconds: "30 seconds",
    results: "files in the data directory",
    maxResultCacheBytes: "10000000000 bytes",
    maxSourceCacheBytes: "10000000000 bytes",
    metrics: "loopback",
    allowedHosts: "none",
    trustedProxy: false,
    publicUrl: "the host of the request",
    singleUseLinks: false,
    downloadsFromStorage: false,
    corsOrigins: "all",
    strictSandbox: false,
    processUids: "90000-90255",
    isolation: "user",
    priority: "normal",
    shutdownDelaySeconds: "0 seconds",
    csvRowIndex: false,
    sources: "the sources in the data directory",
    adapters: "clickhouse, postgres and trino, which are packages of Quern",
    "audit.rotation": "size",
    "audit.maxFileBytes": "100000000 bytes",
    "audit.stdout": false,
    "jwt.jwks": "none",
    "jwt.issuer": "none",
    "jwt.audience": "none",
    "jwt.tenant": "none",
    "jwt.maxLifetimeSeconds": "86400 seconds",
    "jwt.claims.tenant": "tenant, unless jwt.tenant is set",
    "jwt.claims.user": "sub",
    "jwt.claims.scopes": "scope",
    "jwt.claims.sources": "none: tokens allow all sources",
  });
});

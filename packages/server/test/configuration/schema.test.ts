import { validator } from "@quern/protocol/validator";
import { expect, it } from "vitest";
import { configurationSchema, parseText, settings } from "../../src/configuration/settings.ts";

const configuration = validator(configurationSchema);

async function isValid(value: object): Promise<boolean> {
  return (await configuration["~standard"].validate(value)).issues === undefined;
}

const source = { name: "a", provider: "b" };
const jwt = { jwks: "a", issuer: "b", audience: "c" };

it.each<[valid: object, invalid: readonly object[]]>([
  [{}, [{ colour: 1 }]],
  [{ dataDir: "a", store: "b", host: "c" }, [{ dataDir: "" }, { store: "" }, { host: 1 }]],
  [{ storeCacheSeconds: 0 }, [{ storeCacheSeconds: -0.1 }, { storeCacheSeconds: 3_600.1 }]],
  [{ storeCacheSeconds: 3_600 }, []],
  [{ leaseSeconds: 3 }, [{ leaseSeconds: 2.9 }, { leaseSeconds: 3_600.1 }]],
  [{ leaseSeconds: 3_600 }, []],
  [{ maxResultCacheBytes: 1_000_000 }, [{ maxResultCacheBytes: 999_999 }, { maxResultCacheBytes: 1_000_000.5 }]],
  [{ maxSourceCacheBytes: 1_000_000 }, [{ maxSourceCacheBytes: 999_999 }, { maxSourceCacheBytes: 1_000_000.5 }]],
  [{ port: 0 }, [{ port: -1 }, { port: 65_536 }, { port: 1.5 }]],
  [{ port: 65_535 }, []],
  [{ shutdownDelaySeconds: 0 }, [{ shutdownDelaySeconds: -0.1 }, { shutdownDelaySeconds: 3_600.1 }]],
  [{ shutdownDelaySeconds: 3_600 }, []],
  [{ allowedHosts: ["a.example:1"] }, [{ allowedHosts: ["a b"] }, { allowedHosts: ["a/b"] }, { allowedHosts: [""] }]],
  [{ publicUrl: "https://a/b" }, [{ publicUrl: "ftp://a" }, { publicUrl: "a https://b" }]],
  [{ publicUrl: "http://a" }, []],
  [{ corsOrigins: ["https://a:1", "http://b"] }, [{ corsOrigins: ["https://a/"] }, { corsOrigins: ["x https://a"] }]],
  [
    { processUids: "1-1234567890" },
    [{ processUids: "1-12345678901" }, { processUids: "a1-2" }, { processUids: "1-2 " }, { processUids: "1" }],
  ],
  [
    { sources: [source] },
    [{ sources: [] }, { sources: "" }, { sources: [{ name: "a" }] }, { sources: [{ provider: "a" }] }],
  ],
  [{ sources: "s3://a" }, [{ sources: [{ ...source, colour: 1 }] }, { sources: [{ ...source, runAs: "other" }] }]],
  [
    { sources: [{ ...source, password: { file: "a" }, runAs: "user", tenant: "acme" }] },
    [{ sources: [{ ...source, password: {} }] }, { sources: [{ ...source, password: { file: "a", variable: "b" } }] }],
  ],
  [{ sources: [{ ...source, password: { variable: "a" }, runAs: "fixed" }] }, []],
  [{ adapters: { "a-1": "b" } }, [{ adapters: { A: "b" } }, { adapters: { "1a": "b" } }, { adapters: { a_b: "c" } }]],
  [{ audit: { maxFileBytes: 1_000 } }, [{ audit: { maxFileBytes: 999 } }, { audit: { rotation: "weekly" } }]],
  [{ jwt: { ...jwt, maxLifetimeSeconds: 1 } }, [{ jwt: { ...jwt, maxLifetimeSeconds: 0.9 } }]],
  [
    { jwt: { ...jwt, claims: { tenant: "a" } } },
    [{ jwt: { jwks: "a", issuer: "b" } }, { jwt: { ...jwt, claims: { x: "a" } } }],
  ],
  [{ jwt }, [{ jwt: { issuer: "b", audience: "c" } }, { jwt: { jwks: "a", audience: "c" } }]],
])("accepts %j, and refuses %j", async (valid, invalid) => {
  expect(await isValid(valid)).toBe(true);
  expect(await Promise.all(invalid.map(isValid))).toEqual(invalid.map(() => false));
});

it.each([
  ["logLevel", ["debug", "info", "warn", "error", "silent"]],
  ["metrics", ["loopback", "all", "none"]],
  ["isolation", ["user", "instance", "run"]],
  ["priority", ["normal", "low"]],
])("takes the words of %s and no other", async (name, words) => {
  expect(await Promise.all(words.map((word) => isValid({ [name]: word })))).toEqual(words.map(() => true));
  expect(await isValid({ [name]: "other" })).toBe(false);
});

const parsed = (name: string, text: string): unknown =>
  settings.filter((each) => each.name === name).map((each) => parseText(each, text))[0];

it.each<[string, string, unknown]>([
  ["port", "80", 80],
  ["port", " ", " "],
  ["port", "a", "a"],
  ["leaseSeconds", "1.5", 1.5],
  ["leaseSeconds", "", ""],
  ["trustedProxy", "true", true],
  ["trustedProxy", "false", false],
  ["trustedProxy", "yes", "yes"],
  ["host", "true", "true"],
  ["sources", ' [{"name":"a"}]', [{ name: "a" }]],
  ["sources", "s3://a,b", "s3://a,b"],
  ["sources", "[a", "[a"],
  ["allowedHosts", "a, b", ["a", "b"]],
  ["allowedHosts", ' ["a,b"]', ["a,b"]],
  ["adapters", "a=b, c = d", { a: "b", c: "d" }],
  ["adapters", ' {"a":"b=c"}', { a: "b=c" }],
  ["adapters", "{a", "{a"],
  ["adapters", "a=b,c", "a=b,c"],
  ["adapters", "a=b=c", "a=b=c"],
])("parses the text of %s: %s", (name, text, value) => {
  expect(parsed(name, text)).toEqual(value);
});

it("has a variable for each setting, also for those within a group", () => {
  const variables = Object.fromEntries(settings.map(({ name, variable, path }) => [name, [variable, ...path]]));
  expect(variables).toMatchObject({
    dataDir: ["QUERN_DATA_DIR", "dataDir"],
    "audit.maxFileBytes": ["QUERN_AUDIT_MAX_FILE_BYTES", "audit", "maxFileBytes"],
    "jwt.claims.tenant": ["QUERN_JWT_CLAIMS_TENANT", "jwt", "claims", "tenant"],
  });
});

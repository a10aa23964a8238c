import { expect, it } from "vitest";
import { ConfigurationError, readConfiguration } from "../../src/configuration/configuration.ts";
import { settings, settingsInForce } from "../../src/configuration/settings.ts";

const file = (value: unknown) => ({ name: "quern.json", text: JSON.stringify(value) });
const read = (value: unknown, env = {}, flags = {}) => readConfiguration({ file: file(value), env, flags });

it("lets the command line override the environment, and that the file, member by member", () => {
  const configuration = read(
    { port: 1, host: "a", limits: { maxRunningRuns: 1, maxBatch: 1, maxDepth: 1 }, trustedProxy: false },
    { QUERN_PORT: "2", QUERN_LIMITS_MAX_RUNNING_RUNS: "2", QUERN_LIMITS_MAX_BATCH: "2", QUERN_TRUSTED_PROXY: "true" },
    { port: "3", "limits.maxRunningRuns": "3", corsOrigins: "https://a.example, https://b.example" },
  );
  expect(configuration).toEqual({
    port: 3,
    host: "a",
    limits: { maxRunningRuns: 3, maxBatch: 2, maxDepth: 1 },
    trustedProxy: true,
    corsOrigins: ["https://a.example", "https://b.example"],
  });
});

it("accepts a complete configuration, from the file as from the environment", () => {
  const jwt = {
    jwks: "https://id.example.com/jwks.json",
    issuer: "https://id.example.com",
    audience: "quern",
    tenant: "acme",
    claims: { tenant: "org", user: "email", scopes: "permissions", sources: "data" },
  };
  const whole = { dataDir: "data", port: 0, host: "a", logLevel: "error", metrics: "none", jwt };
  expect(read(whole)).toEqual(whole);
  const least = { jwt: { jwks: "jwks.json", issuer: "i", audience: "a" } };
  expect(read(least)).toEqual(least);
  const env = {
    QUERN_JWT_JWKS: jwt.jwks,
    QUERN_JWT_ISSUER: jwt.issuer,
    QUERN_JWT_AUDIENCE: jwt.audience,
    QUERN_JWT_TENANT: jwt.tenant,
    QUERN_JWT_CLAIMS_TENANT: jwt.claims.tenant,
    QUERN_JWT_CLAIMS_USER: jwt.claims.user,
    QUERN_JWT_CLAIMS_SCOPES: jwt.claims.scopes,
    QUERN_JWT_CLAIMS_SOURCES: jwt.claims.sources,
  };
  expect(readConfiguration({ env, flags: {} })).toEqual({ jwt });
});

it("takes the kind of a source, which is a text", () => {
  const sources = [{ name: "a", provider: "p", kind: "trino" }];
  expect(read({ sources })).toEqual({ sources });
  expect(() => read({ sources: [{ ...sources[0], kind: 7 }] })).toThrow(
    "/sources/0/kind (quern.json): expected a string, received 7",
  );
});

it("takes the address of a bucket as the sources, and refuses a password in it", () => {
  const sources = "s3://bucket/prefix?endpoint=https://storage.example.com";
  expect(read({ sources, maxSourceCacheBytes: 1_000_000 })).toEqual({ sources, maxSourceCacheBytes: 1_000_000 });
  expect(readConfiguration({ env: { QUERN_SOURCES: sources }, flags: {} })).toEqual({ sources });
  const listed = [{ name: "a", provider: "p" }];
  const env = { QUERN_SOURCES: JSON.stringify(listed) };
  expect(readConfiguration({ env, flags: {} })).toEqual({ sources: listed });
  expect(() => read({ sources: [] })).toThrow("/sources (quern.json): expected at least 1 item");
  expect(() => read({ sources: "s3://key:hidden@bucket" })).toThrow(
    /^Invalid setting sources: the address contains a password; remove it, and set the credentials in [^:]*$/,
  );
  expect(() => read({ sources: "./sources" })).toThrow(
    "Invalid setting sources: it is not an address; write it as s3://bucket/prefix.",
  );
});

it("reports the place, the expected and the received value of each fault", () => {
  const faults = () =>
    read(
      { host: 7, limits: { maxBatch: 0, colour: 1 }, jwt: { jwks: "x", issuer: "y" } },
      { QUERN_LIMITS_MAX_DEPTH: "deep", QUERN_METRICS: "everyone", QUERN_PROCESS_UIDS: "90000" },
      { port: "70000" },
    );
  expect(faults).toThrow(ConfigurationError);
  expect(faults).toThrow(expect.objectContaining({ name: "ConfigurationError" }));
  const lines = ((): string => {
    try {
      return String(faults());
    } catch (error) {
      return String(error);
    }
  })();
  for (const line of [
    "/host (quern.json): expected a string, received 7",
    "/limits/maxBatch (quern.json): expected ",
    "/limits/colour (quern.json): expected no such member",
    '/limits/maxDepth (QUERN_LIMITS_MAX_DEPTH): expected an integer, received "deep"',
    "/jwt/audience (quern.json): expected",
    '/metrics (QUERN_METRICS): expected "loopback"',
    '/processUids (QUERN_PROCESS_UIDS): expected two user ids such as 90000-90099, received "90000"',
    "/port (--set port): expected at most 65535, received 70000",
  ])
    expect(lines).toContain(line);
  // Commands print an error as one line.
  expect(lines).not.toContain("\n");
});

it("shows no value that may be a secret", () => {
  const provider = "quern";
  for (const file of [
    { storePassword: "hidden" },
    { sources: [{ name: "shop", provider, password: "hidden" }] },
    { sources: [{ name: "shop", provider, password: { file: "/a", text: "hidden" } }] },
    { port: "postgres://reader:hidden@db.example.com/shop" },
    { port: "postgres:/reader:hidden@db.example.com/shop" },
  ]) {
    expect(() => read(file)).toThrow(/expected/);
    expect(() => read(file)).not.toThrow(/hidden/);
  }
  for (const text of ['{"storePassword": hidden}', '{"storePassword": "hidden" "a"}', '"hidden\n', "{'hidden': 1}"]) {
    const parse = () => readConfiguration({ file: { name: "quern.json", text }, env: {}, flags: {} });
    expect(parse).toThrow("quern.json is not JSON: ");
    expect(parse).not.toThrow(/hidden/);
  }
});

it("suggests the setting that an unknown name may mean", () => {
  expect(() => read({ corsOrigin: [], limits: { maxDept: 1 } })).toThrow(
    "/corsOrigin (quern.json): expected no such member (did you mean corsOrigins?); " +
      "/limits/maxDept (quern.json): expected no such member (did you mean maxDepth?)",
  );
  const shortened = () => readConfiguration({ env: { QUERN_LIMITS_MAX_RUNING_RUNS: "1" }, flags: {} });
  expect(shortened).toThrow("did you mean QUERN_LIMITS_MAX_RUNNING_RUNS?");
});

it("reports a misspelt name, and ignores variables of other programs", () => {
  const env = {
    QUERN_CONFIG: "quern.json",
    QUERN_DEBUG: "1",
    QUERN_URL: "http://a.example",
    QUERN_SEED: "7",
    QUERN_MOCK: "quern mock",
    QUERN_MOCK_URL: "http://a.example",
    PATH: "/bin",
    QUERN_PORT: "",
  };
  expect(readConfiguration({ env, flags: {} })).toEqual({});
  const misspelt = () => readConfiguration({ env: { QUERN_LIMITS_MAX_BATCHES: "1" }, flags: {} });
  expect(misspelt).toThrow("unknown variable QUERN_LIMITS_MAX_BATCHES; did you mean QUERN_LIMITS_MAX_BATCH?");
  for (const [variable, advice] of [
    ["QUERN_PROT", "did you mean QUERN_PORT?"],
    ["QUERN_DATADIR", "did you mean QUERN_DATA_DIR?"],
    ["QUERN_LOG", "did you mean QUERN_LOG_LEVEL?"],
    ["QUERN_APIKEY", "did you mean QUERN_API_KEY?"],
    ["QUERN_ZONE", "`quern configuration` lists the variables"],
  ] as const)
    expect(() => readConfiguration({ env: { [variable]: "1" }, flags: {} })).toThrow(
      `unknown variable ${variable}; ${advice}`,
    );
  const foreign = () => readConfiguration({ env: {}, flags: { zone: "1" } });
  expect(foreign).toThrow("unknown setting zone; `quern configuration` lists the settings");
  const unknown = () => readConfiguration({ env: {}, flags: { "limits.maxDept": "1" } });
  expect(unknown).toThrow("unknown setting limits.maxDept; did you mean limits.maxDepth?");
});

it("reads packages of adapters from pairs or JSON, and refuses a password in the address of a source", () => {
  const adaptersOf = (text: string) => readConfiguration({ env: { QUERN_ADAPTERS: text }, flags: {} }).adapters;
  expect(adaptersOf("sqlite=quern-sqlite, echo=echo-adapter")).toEqual({
    sqlite: "quern-sqlite",
    echo: "echo-adapter",
  });
  expect(adaptersOf('{"sqlite": "quern-sqlite"}')).toEqual({ sqlite: "quern-sqlite" });
  for (const text of ["sqlite", "Sqlite=a", "sqlite="]) expect(() => adaptersOf(text)).toThrow("/adapters");
  const lake = { name: "lake", provider: "quern", kind: "trino", address: "trino://me@host/hive" };
  const sourcesOf = (source: object) =>
    readConfiguration({ env: { QUERN_SOURCES: JSON.stringify([source]) }, flags: {} }).sources;
  expect(sourcesOf({ ...lake, password: { file: "secret" } })).toMatchObject([{ password: { file: "secret" } }]);
  expect(() => sourcesOf({ ...lake, password: "hunter2" })).toThrow("/sources/0/password");
  const refused = () => sourcesOf({ ...lake, address: "trino://me:hunter2@host/hive" });
  expect(refused).toThrow("Invalid address of the data source lake: the address contains a password");
  expect(refused).not.toThrow("hunter2");
});

it("refuses a file that is not a JSON object", () => {
  const text = (content: string) => () =>
    readConfiguration({ file: { name: "quern.json", text: content }, env: {}, flags: {} });
  expect(text("{")).toThrow("quern.json is not JSON");
  expect(text("[]")).toThrow("quern.json: expected a JSON object");
  expect(text('{"__proto__": {"port": 1}}')).toThrow("no such member");
});

it("has one unique name for each place", () => {
  const names = settings.map(({ name, variable }) => `${name} ${variable}`);
  expect(names).toContain("limits.statementTimeoutSeconds QUERN_LIMITS_STATEMENT_TIMEOUT_SECONDS");
  expect(names).toContain("jwt.claims.tenant QUERN_JWT_CLAIMS_TENANT");
  expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length);
});

it("takes secrets from their variables only, and never prints them", () => {
  const env = { QUERN_API_KEY: "hidden-key\n", QUERN_STORE_PASSWORD: "hidden-password\r\n" };
  const configuration = readConfiguration({ env, flags: {} });
  expect(configuration).toEqual({ apiKey: "hidden-key", storePassword: "hidden-password" });
  expect(JSON.stringify(settingsInForce(configuration))).not.toContain("hidden-");
  for (const name of ["apiKey", "storePassword"]) {
    expect(() => read({ [name]: "x" })).toThrow(`/${name} (quern.json): expected no such member`);
    expect(() => read({}, {}, { [name]: "x" })).toThrow(`unknown setting ${name}; `);
  }
});

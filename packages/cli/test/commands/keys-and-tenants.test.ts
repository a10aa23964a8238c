import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

class AdministrationError extends Error {}
class ConfigurationError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern } = withFakePackages(packages);
const settings = {
  store: "postgres://u@h/d",
  storePassword: "hunter2",
  storePasswordFile: "p",
  results: "s3://b/p",
  port: 1,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-fake-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  packages["@quern/server"] = { ConfigurationError, readConfiguration: configured };
});

/** The function of a package may be synchronous. */
function configured(options: unknown): typeof settings {
  calls.push(["readConfiguration", options]);
  return settings;
}

/** Sets the results of functions of the administration, by their names. */
function administration(results: Readonly<Record<string, unknown>>): void {
  const functions = Object.entries(results).map(([name, result]) => [name, fake(name, result)]);
  packages["@quern/server/administration"] = { AdministrationError, ...Object.fromEntries(functions) };
}

const dataDir = resolve("quern-data");
const issued = { id: "key_1", key: "qk_secret" };
const noon = Date.UTC(2026, 10, 24, 12);

describe("quern keys", () => {
  beforeEach(() =>
    administration({ issueKey: issued, rotateKey: issued, revokeKey: undefined, revokeLinks: undefined }),
  );

  it("issues a key with the rights of its flags, and prints the key alone on stdout", async () => {
    const words = ["--tenant", "acme", "--user", "ann", "--scopes", "run, read", "--sources", "a,b"];
    const more = ["--origins", "https://a.example , https://b.example", "--network", "10.0.0.0/8,::1/128"];
    expect(await quern(["keys", "issue", ...words, ...more, "--expires", "2027-01-31", "--data-dir", "data"])).toEqual({
      status: 0,
      stdout: "qk_secret\n",
      stderr: "key key_1, shown only once:\n",
    });
    const rights = { tenant: "acme", user: "ann", scopes: ["run", "read"], sources: ["a", "b"] };
    const limits = { origins: ["https://a.example", "https://b.example"], networks: ["10.0.0.0/8", "::1/128"] };
    const expiresAt = Date.UTC(2027, 0, 31);
    expect(calls).toEqual([["issueKey", { dataDir: resolve("data"), ...rights, ...limits, expiresAt }]]);
  });

  it("issues a key with the defaults of the service, and prints all of it as JSON", async () => {
    expect(await quern(["keys", "issue", "--json"])).toEqual({
      status: 0,
      stdout: '{"id":"key_1","key":"qk_secret"}\n',
      stderr: "",
    });
    expect(calls).toEqual([["issueKey", { dataDir }]]);
  });

  it("counts the time of --expires from now", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: noon });
    onTestFinished(() => void vi.useRealTimers());
    await quern(["keys", "issue", "--expires", "12h"]);
    expect(calls).toEqual([["issueKey", { dataDir, expiresAt: noon + 43_200_000 }]]);
  });

  it.each([
    [["rotate", "key_0"], ["rotateKey", dataDir, "key_0", 0], "qk_secret\n"],
    [["rotate", "key_0", "--keep", "1h"], ["rotateKey", dataDir, "key_0", 3_600_000], "qk_secret\n"],
    [["revoke", "key_0"], ["revokeKey", dataDir, "key_0"], "revoked key_0\n"],
    [["revoke", "key_0", "--json"], ["revokeKey", dataDir, "key_0"], '{"revoked":["key_0"]}\n'],
    [["revoke-links"], ["revokeLinks", dataDir], "revoked all download links\n"],
  ])("%j calls the administration", async (words, call, stdout) => {
    expect(await quern(["keys", ...words])).toMatchObject({ status: 0, stdout });
    expect(calls).toEqual([call]);
  });

  it("refuses a time to keep a key that it cannot read", async () => {
    expect(await quern(["keys", "rotate", "key_0", "--keep", "soon"])).toEqual({
      status: 2,
      stdout: "",
      stderr: 'quern: invalid --keep: expected a time such as 1h or 7d, got "soon"\n',
    });
    expect(calls).toEqual([]);
  });

  it("lists all rights and times of the keys, and leaves empty what a key lacks", async () => {
    const plain = {
      id: "key_1",
      tenantId: "t",
      userId: "u",
      state: "active",
      lastFour: "abcd",
      scopes: ["run", "read"],
    };
    const times = { createdAt: noon, expiresAt: noon + 1_000, lastUsedAt: noon + 2_000 };
    const lists = { sources: ["a", "b"], origins: ["c", "d"], networks: ["e", "f"] };
    const none = { sources: null, origins: null, networks: null, createdAt: noon, expiresAt: null, lastUsedAt: null };
    administration({
      listKeys: [
        { ...plain, ...lists, ...times },
        { ...plain, ...none },
      ],
    });
    expect(await quern(["keys", "list", "--format", "csv"])).toEqual({
      status: 0,
      stdout: [
        "id,tenant,user,state,ends_with,scopes,sources,origins,networks,created_at,expires_at,last_used_at",
        'key_1,t,u,active,abcd,"run,read","a,b","c,d","e,f",2026-11-24T12:00:00.000Z,2026-11-24T12:00:01.000Z,2026-11-24T12:00:02.000Z',
        'key_1,t,u,active,abcd,"run,read",,,,2026-11-24T12:00:00.000Z,,\n',
      ].join("\n"),
      stderr: "",
    });
    expect(calls).toEqual([["listKeys", dataDir]]);
  });
});

describe("the store of the administration", () => {
  const config = () => join(folder, "quern.json");
  const { store, storePassword, storePasswordFile, results } = settings;
  const location = { dataDir, store, storePassword, storePasswordFile, results };
  beforeEach(async () => {
    administration({ revokeLinks: undefined });
    await writeFile(config(), "{}");
  });

  it.each([
    ["QUERN_STORE", "postgres://u@h/d"],
    ["QUERN_RESULTS", "s3://b/p"],
  ])("is read from the settings if %s is set", async (name, value) => {
    const env = { [name]: value };
    await quern(["keys", "revoke-links"], env);
    expect(calls).toEqual([
      ["readConfiguration", { file: undefined, env, flags: {} }],
      ["revokeLinks", location],
    ]);
  });

  it("is read from the file that QUERN_CONFIG or --config names, the flag before the variable", async () => {
    await quern(["keys", "revoke-links"], { QUERN_CONFIG: config() });
    await quern(["keys", "revoke-links", "--config", config()], { QUERN_CONFIG: "nowhere" });
    const file = { name: config(), text: "{}" };
    expect(calls).toEqual([
      ["readConfiguration", { file, env: { QUERN_CONFIG: config() }, flags: {} }],
      ["revokeLinks", location],
      ["readConfiguration", { file, env: { QUERN_CONFIG: "nowhere" }, flags: {} }],
      ["revokeLinks", location],
    ]);
  });

  it("refuses the settings as the service does", async () => {
    const readConfiguration = () => {
      throw new ConfigurationError("/port: expected an integer");
    };
    packages["@quern/server"] = { ConfigurationError, readConfiguration };
    expect(await quern(["keys", "revoke-links"], { QUERN_STORE: "x" })).toEqual({
      status: 2,
      stdout: "",
      stderr: "quern: /port: expected an integer\n",
    });
  });

  it.each([
    [new AdministrationError("unknown key: key_9"), 2, "quern: unknown key: key_9\n"],
    [new Error("disk I/O error"), 1, "quern: disk I/O error; set QUERN_DEBUG=1 to print the stack\n"],
  ])("that fails with %s exits with %i", async (error, status, stderr) => {
    administration({ revokeLinks: error });
    expect(await quern(["keys", "revoke-links"])).toEqual({ status, stdout: "", stderr });
  });

  it("prints the stack of an error if QUERN_DEBUG is set", async () => {
    const error = new Error("disk I/O error");
    administration({ revokeLinks: error });
    const { stderr } = await quern(["keys", "revoke-links"], { QUERN_DEBUG: "1" });
    expect(stderr).toBe(`quern: disk I/O error; set QUERN_DEBUG=1 to print the stack\n${error.stack}\n`);
  });
});

describe("quern tenants", () => {
  it("sets each given limit, and none for no limit", async () => {
    administration({ setTenant: undefined });
    const words = ["--max-unfinished-runs", "1", "--max-running-runs", "2", "--requests-per-second", "0.5"];
    const more = ["--request-burst", "3", "--monthly-exec-seconds", "none", "--max-stored-bytes", "5"];
    expect(await quern(["tenants", "set", "acme", ...words, ...more])).toEqual({
      status: 0,
      stdout: "set acme\n",
      stderr: "",
    });
    const rates = { requestsPerSecond: 0.5, requestBurst: 3 };
    const limits = { maxUnfinishedRuns: 1, maxRunningRuns: 2, ...rates, monthlyExecSeconds: null, maxStoredBytes: 5 };
    expect(calls).toEqual([["setTenant", dataDir, "acme", limits]]);
  });

  it("lists limits that are set, none for no limit, and nothing for a limit that is not set", async () => {
    const first = { id: "acme", createdAt: noon, storedBytes: 7, settings: { maxRunningRuns: 2, requestBurst: null } };
    administration({ listTenants: [first, { id: "b", createdAt: null, storedBytes: 0, settings: {} }] });
    expect((await quern(["tenants", "list", "--format", "csv"])).stdout).toBe(
      [
        "tenant,created_at,stored_bytes,maxUnfinishedRuns,maxRunningRuns,requestsPerSecond,requestBurst,monthlyExecSeconds,maxStoredBytes",
        "acme,2026-11-24T12:00:00.000Z,7,,2,,none,,",
        "b,,0,,,,,,\n",
      ].join("\n"),
    );
    expect(calls).toEqual([["listTenants", dataDir]]);
  });
});

it("quern usage prints the use of each user in a month, with execution times in seconds", async () => {
  const user = { month: "2026-11", tenantId: "t", userId: "u", execMs: 1_500, runs: 2, rows: 3, bytesRead: 4 };
  administration({ listUsage: [user] });
  expect((await quern(["usage", "--month", "2026-11", "--format", "csv"])).stdout).toBe(
    "month,tenant,user,query_exec_seconds,runs,rows,bytes_read\n2026-11,t,u,1.5,2,3,4\n",
  );
  expect(calls).toEqual([["listUsage", dataDir, "2026-11"]]);
});

it.each(["2026-00", "2026-13", "2026-1", "26-11", "2026-11-01", "12026-11", "2026-011", "november"])(
  "quern usage refuses the month %s",
  async (month) => {
    administration({ listUsage: [] });
    expect(await quern(["usage", "--month", month])).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("expected a month such as 2026-11"),
    });
    expect(calls).toEqual([]);
  },
);

it.each(["2026-01", "2026-09", "2026-10", "2026-12"])("quern usage knows the month %s", async (month) => {
  administration({ listUsage: [] });
  expect(await quern(["usage", "--month", month])).toMatchObject({ status: 0 });
  expect(calls).toEqual([["listUsage", dataDir, month]]);
});

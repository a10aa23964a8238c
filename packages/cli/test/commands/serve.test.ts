import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { withFakePackages } from "../fake-packages.ts";
import type { Started } from "../quern.ts";

class ConfigurationError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern, startQuern } = withFakePackages(packages);
const dataDir = resolve("quern-data");
const log = { level: "a log" };
const close = fake("close");

/** Reads the flags as settings, after the settings of a test. */
function service(settings: object, members: object = {}): void {
  packages["@quern/server"] = {
    ConfigurationError,
    readConfiguration: ({ flags }: { readonly flags: object }) => ({ ...settings, ...flags }),
    createLog: ({ level }: { readonly level: string }) => ({ ...log, level }),
    ...members,
  };
}

const listen = fake("listen", { url: "http://127.0.0.1:1" });
const server = (members: object = {}) => fake("createServer", { firstKey: undefined, close, listen, ...members });

/** Ends a server once it listens. */
async function ended(started: Started, signal: NodeJS.Signals = "SIGTERM") {
  started.stdout.once("data", () => setImmediate(() => started.signal(signal)));
  return await started.ended;
}

describe("quern serve", () => {
  beforeEach(() => service({}, { createServer: server() }));

  it("starts the service with its defaults", async () => {
    expect(await ended(startQuern(["serve"]))).toEqual({
      status: 0,
      stdout: "quern listening on http://127.0.0.1:1\n",
      stderr: "",
    });
    const options = { dataDir, log: { level: "warn" } };
    expect(calls).toStrictEqual([["createServer", options], ["listen", 8_080, "127.0.0.1"], ["close"]]);
  });

  it("starts the service with its settings and its flags", async () => {
    service(
      { apiKey: "qk_1", limits: { maxBatch: 2 }, logLevel: "info", host: "0.0.0.0" },
      { createServer: server({ firstKey: "qk_1" }) },
    );
    const words = ["--data-dir", "data", "--port", "0", "--host", "::1", "--strict-sandbox", "--allowed-hosts", "a,b"];
    const { stdout } = await ended(startQuern(["serve", ...words, "--set", "x=1", "--json"]));
    expect(stdout).toBe('{"url":"http://127.0.0.1:1","apiKey":"qk_1"}\n');
    const flags = { strictSandbox: "true", allowedHosts: "a,b", x: "1" };
    const options = { apiKey: "qk_1", limits: { maxBatch: 2 }, ...flags };
    expect(calls).toEqual([
      ["createServer", { ...options, dataDir: resolve("data"), log: { level: "info" } }],
      ["listen", "0", "::1"],
      ["close"],
    ]);
  });

  it("takes a setting of --set before the flag of the same name", async () => {
    await ended(startQuern(["serve", "--host", "::1", "--set", "host=::2"]));
    expect(calls[1]).toEqual(["listen", 8_080, "::2"]);
  });

  it("prints a new first key for people", async () => {
    service({}, { createServer: server({ firstKey: "qk_1" }) });
    const { stdout } = await ended(startQuern(["serve"]));
    expect(stdout).toBe("quern listening on http://127.0.0.1:1\napi key, shown only once: qk_1\n");
  });

  it("prints a sign-in link of the console with --open, and opens no browser outside a terminal", async () => {
    const consoleUrl = "http://127.0.0.1:1/console/#code=1";
    service({}, { createServer: server({ firstKey: "qk_1", signInLink: () => consoleUrl }) });
    const text = `quern listening on http://127.0.0.1:1\napi key, shown only once: qk_1\nconsole: ${consoleUrl}\n`;
    expect(await ended(startQuern(["serve", "--open"]))).toEqual({ status: 0, stdout: text, stderr: "" });
    const { stdout } = await ended(startQuern(["serve", "--open", "--json"]));
    expect(JSON.parse(stdout)).toEqual({ url: "http://127.0.0.1:1", apiKey: "qk_1", consoleUrl });
  });

  it("serves with --open without a console, and says why there is no link", async () => {
    const signInLink = () => {
      throw new Error("No sign-in link: the service has no console.");
    };
    service({}, { createServer: server({ signInLink }) });
    expect(await ended(startQuern(["serve", "--open"]))).toEqual({
      status: 0,
      stdout: "quern listening on http://127.0.0.1:1\n",
      stderr: "quern: No sign-in link: the service has no console.\n",
    });
  });

  it.each([
    [new Error("data directory in use"), 2, "quern: data directory in use\n"],
    [
      Object.assign(new Error("read-only"), { code: "EROFS" }),
      1,
      "quern: read-only; set QUERN_DEBUG=1 to print the stack\n",
    ],
    ["lost", 1, "quern: lost; set QUERN_DEBUG=1 to print the stack\n"],
  ])("that cannot open its data with %s exits with %i", async (error, status, stderr) => {
    service({}, { createServer: () => Promise.reject(error) });
    expect(await quern(["serve"])).toEqual({ status, stdout: "", stderr });
  });

  it.each([
    ["EADDRINUSE", /^quern: port in use: 127\.0\.0\.1:8080; /],
    ["EACCES", /^quern: permission denied: cannot listen on 127\.0\.0\.1:8080; /],
    ["EADDRNOTAVAIL", /^quern: not an address of this machine: 127\.0\.0\.1; /],
    ["ENOTFOUND", /^quern: not an address of this machine: 127\.0\.0\.1; /],
  ])("that cannot listen because of %s is closed, and prints no key that it does not have", async (code, stderr) => {
    const refused = fake("listen", Object.assign(new Error("refused"), { code }));
    service({}, { createServer: server({ listen: refused }) });
    expect(await quern(["serve"])).toEqual({ status: 2, stdout: "", stderr: expect.stringMatching(stderr) });
    expect(calls.slice(1)).toEqual([["listen", 8_080, "127.0.0.1"], ["close"]]);
  });

  it("closes once if it has no delay, and again at a second signal during a delay", async () => {
    await ended(startQuern(["serve"]));
    expect(calls.filter(([name]) => name === "close")).toHaveLength(1);
    const draining = Promise.withResolvers<void>();
    const slowly = vi.fn(() => draining.promise);
    service({ shutdownDelaySeconds: 5 }, { createServer: server({ close: slowly }) });
    const started = startQuern(["serve"]);
    started.stdout.once("data", () => setImmediate(() => started.signal("SIGINT")));
    await vi.waitUntil(() => slowly.mock.calls.length === 1);
    started.signal("SIGINT");
    await vi.waitUntil(() => slowly.mock.calls.length === 2);
    draining.resolve();
    expect((await started.ended).status).toBe(130);
  });
});

describe("quern doctor", () => {
  const layer = { name: "limits", isPresent: true, isOptional: false, meaning: "Limits." };
  const user = { ...layer, name: "user", meaning: "User." };
  function machine(settings: object, found: object = {}): void {
    service(settings, {
      examineDisk: fake("disk", { hasSpace: true, meaning: "Disk." }),
      examineDataDirectory: fake("directory", { isPrivate: true, meaning: "Directory." }),
      examineUserIds: fake("users", { canChangeUser: true, layer: user }),
      examineSources: fake("sources", { isReadable: true, meaning: "Sources." }),
      examineStorage: fake("storage", []),
      parseUserIds: (text: string) => `parsed ${text}`,
      dataDirectorySources: (folder: string) => [folder],
      sandboxing: () => ({ layers: [layer] }),
      ...found,
    });
  }
  const doctor = (env = {}, ...words: string[]) => quern(["doctor", "--format", "csv", ...words], env);
  const rows = (...lines: string[]) => `check,ok,meaning\n${lines.join("\n")}\n`;
  const good = ["limits,true,Limits.", "user,true,User.", "disk,true,Disk.", "data-directory,true,Directory."];

  it("examines the defaults of the service", async () => {
    machine({});
    expect(await doctor()).toEqual({ status: 0, stdout: rows(...good, "sources,true,Sources."), stderr: "" });
    expect(calls).toEqual([
      ["disk", dataDir, undefined],
      ["directory", dataDir],
      ["users", "parsed 90000-90255"],
      ["sources", [dataDir], dataDir, true],
      ["storage", {}],
    ]);
  });

  it("examines what the settings and the flag name", async () => {
    const settings = { dataDir: "other", limits: { maxDiskShare: 0.5 }, processUids: "1-2", sources: "s3://b/p" };
    machine(settings, { examineStorage: fake("storage", [{ name: "store", isReachable: false, meaning: "Store." }]) });
    const { status, stdout } = await doctor({}, "--data-dir", "data");
    expect({ status, stdout }).toEqual({ status: 4, stdout: rows(...good, "store,false,Store.") });
    expect(calls).toEqual([
      ["disk", resolve("data"), 0.5],
      ["directory", resolve("data")],
      ["users", "parsed 1-2"],
      ["storage", { ...settings, dataDir: resolve("data") }],
    ]);
  });

  it.each([
    [{ sandboxing: () => ({ layers: [{ ...layer, isPresent: false }] }) }, 4, "limits,false,Limits."],
    [{ sandboxing: () => ({ layers: [{ ...layer, isPresent: false, isOptional: true }] }) }, 0, "limits,,Limits."],
    [{ examineDisk: fake("disk", { hasSpace: false, meaning: "Full." }) }, 4, "disk,false,Full."],
    [{ examineDataDirectory: fake("d", { isPrivate: false, meaning: "Open." }) }, 4, "data-directory,false,Open."],
    [
      { examineDataDirectory: fake("d", { isPrivate: true, isDenied: true, meaning: "Denied." }) },
      4,
      "data-directory,false,Denied.",
    ],
    [
      { examineDataDirectory: fake("d", { isPrivate: true, isDenied: false, meaning: "Mine." }) },
      0,
      "data-directory,true,Mine.",
    ],
    [{ examineSources: fake("s", { isReadable: false, meaning: "Closed." }) }, 4, "sources,false,Closed."],
  ])("exits with the code of what it finds", async (found, status, line) => {
    machine({}, found);
    const ended = await doctor();
    expect(ended.status).toBe(status);
    expect(ended.stdout.split("\n")).toContain(line);
  });
});

it("quern configuration prints the value, the unit and the origin of each setting", async () => {
  const one = { name: "port", value: 1, isSet: true, unit: undefined, variable: "QUERN_PORT", text: "Port." };
  const list = { name: "list", value: ["a"], isSet: false, unit: "hosts", variable: "QUERN_LIST", text: "Hosts." };
  const none = { ...list, name: "none", value: null };
  const settingsInForce = vi.fn(() => [one, list, none]);
  service({ port: 1 }, { settingsInForce });
  const { stdout } = await quern(["configuration", "--set", "a=b=c", "--set", "d=", "--format", "csv"]);
  expect(stdout).toBe(
    [
      "name,value,unit,origin,variable,meaning",
      "port,1,,set,QUERN_PORT,Port.",
      'list,"[""a""]",hosts,default,QUERN_LIST,Hosts.',
      "none,,hosts,default,QUERN_LIST,Hosts.\n",
    ].join("\n"),
  );
  expect(settingsInForce).toHaveBeenCalledWith({ port: 1, a: "b=c", d: "" });
  for (const set of ["a", "=b"])
    expect(await quern(["configuration", "--set", set])).toEqual({
      status: 2,
      stdout: "",
      stderr: `quern: invalid --set: expected name=value, got "${set}"\n`,
    });
});

it("quern configuration reads the file that a variable names, relative to the current folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quern-configuration-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "quern.json"), "{}");
  const readConfiguration = vi.fn(() => ({}));
  packages["@quern/server"] = { ConfigurationError, readConfiguration, settingsInForce: () => [] };
  const name = join(folder, "quern.json");
  await quern(["configuration"], { QUERN_CONFIG: name });
  await quern(["configuration"], { QUERN_CONFIG: "" });
  expect(readConfiguration.mock.calls).toEqual([
    [{ file: { name, text: "{}" }, env: { QUERN_CONFIG: name }, flags: {} }],
    [{ file: undefined, env: { QUERN_CONFIG: "" }, flags: {} }],
  ]);
});

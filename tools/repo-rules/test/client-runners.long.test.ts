import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack } from "../src/packed.ts";
import { binaryOf } from "../src/runtime.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { catalogVersion } from "../src/tree.ts";

const fixtures = fileURLToPath(new URL("./client-runners", import.meta.url));
const { platform, arch } = process;
const bun = {
  name: "Bun",
  version: "1",
  packages: [`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`],
  binary: "bin/bun",
};
let packed: Packed;
let project: string;

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const all = { ...process.env, NODE_ENV: "test", NO_COLOR: "1", FORCE_COLOR: undefined, ...env };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project,
    env: all,
    encoding: "utf8",
    timeout: 120_000,
  });
  return { status, text: `${stdout}${stderr}` };
}

beforeAll(() => {
  packed = pack(
    ["json-rpc", "protocol", "query-run", "client", "mock-server"].map((name) => `packages/${name}`).concat("spec"),
  );
  const tools = ["vitest", "jest", "esbuild", "msw"].map((name) => [name, catalogVersion(name)]);
  const besides = {
    ...Object.fromEntries(tools),
    nock: "15.0.6",
    miniflare: "4",
    "@quern/client": `file:${packed.tarballs.get("@quern/client")}`,
  };
  [project = ""] = packed.install({ of: "packages/mock-server", besides });
  cpSync(fixtures, project, { recursive: true });
  const jest = (tests: string) =>
    JSON.stringify({ testMatch: [`**/${tests}`], transform: {}, moduleFileExtensions: ["js", "cjs", "mjs", "json"] });
  writeFileSync(join(project, "jest-esm.json"), jest("jest-esm.test.mjs"));
  writeFileSync(join(project, "jest-require.json"), jest("jest-require.test.cjs"));
});
afterAll(() => packed?.[Symbol.dispose]());

describe("queries end while the timers of the test runner are fake", () => {
  const flag = { NODE_OPTIONS: "--experimental-vm-modules" };
  it.each([
    [
      "jest, ES modules",
      ["npx", "jest", "--watchman=false", "--config", "jest-esm.json"],
      /^Tests: +3 passed, 3 total/m,
      flag,
    ],
    [
      "jest, CommonJS",
      ["npx", "jest", "--watchman=false", "--config", "jest-require.json"],
      /^Tests: +1 passed, 1 total/m,
      flag,
    ],
    ["vitest", ["npx", "vitest", "run", "vitest.test.mjs"], /Tests .*2 passed/, {}],
    ["node:test", [process.execPath, "--test", "node.test.mjs"], /^. pass 1$/m, {}],
  ] as const)("%s", (_, [command, ...args], passes, env) => {
    const { status, text } = run(command, args, env);
    expect(status, text).toBe(0);
    expect(text).toMatch(passes);
  });

  it("bun test", ({ skip }) => {
    const found = binaryOf(bun, packed.folder);
    if (found === undefined) return skip("the machine lacks Bun: no package brings it");
    const { status, text } = run(found, ["test", "./bun.test.mjs"]);
    expect(status, text).toBe(0);
    expect(text).toMatch(/^ 1 pass$/m);
  });
});

it.each(["msw", "nock"])("%s intercepts a client that has sent requests before", (tool) => {
  const { status, text } = run(process.execPath, ["--test", "interception.test.mjs"], { TOOL: tool });
  expect(status, text).toBe(0);
  expect(text).toMatch(/^. pass 1$/m);
});

describe("on workerd", () => {
  let service: Service;
  beforeAll(async () => {
    service = await start("serve", "--data-dir", join(packed.folder, "data"));
  });
  afterAll(() => service?.stop());

  it("requests of a worker share one client, two at a time and after one that was given up", () => {
    const { status, text } = run(process.execPath, ["worker-host.mjs", service.url, API_KEY]);
    expect(text).toContain(
      '[{"name":"a"}] [{"name":"b"}] left [{"name":"d"}] [{"name":"e"}] [{"name":"f"}] [{"name":"g"}]',
    );
    expect(status).toBe(0);
  });
});

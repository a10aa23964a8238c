import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, watch, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { remoteNamespace } from "@quern/mock-server/remote";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack } from "../src/packed.ts";
import { javaScriptRunners, otherRunners, type Runner } from "../src/runner-projects.ts";
import { API_KEY, type Service, startCommand } from "../src/service.ts";
import { catalogVersion } from "../src/tree.ts";

/** Page of the guide's Playwright test, which requests the cars from a service. */
const PAGE = `<ul></ul><script type="module">
  const call = async (method, params) => {
    const headers = { "content-type": "application/json", "x-api-key": "the-key-of-the-page" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    const response = await fetch("https://quern.example/json-rpc", { method: "POST", headers, body });
    return (await response.json()).result;
  };
  const { queryRun } = await call("createQueryRun", { sql: "select name from cars" });
  await call("getQueryRun", { queryRunId: queryRun.id });
  const { rows } = await call("getQueryRunResults", { queryRunId: queryRun.id });
  document.querySelector("ul").innerHTML = rows.map(([name]) => "<li>" + name).join("");
</script>`;

interface Outcome {
  readonly status: number;
  readonly text: string;
}

const packages = ["json-rpc", "protocol", "query-run", "client", "cli", "mock-server"];
let packed: Packed;
let mock: Service;
let runners: readonly Runner[] = [];
const outcomes = new Map<string, Outcome>();
/** Runners whose namespaces and stubs existed at the same time. */
let ready: readonly string[] = [];
let elsewhere: Awaited<ReturnType<typeof remoteNamespace>>;

const page = createServer((_, response) => response.setHeader("content-type", "text/html").end(PAGE));

function run({ command, folder, env }: Runner, shared: NodeJS.ProcessEnv): Promise<Outcome> {
  const all = {
    ...process.env,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    PYTHONDONTWRITEBYTECODE: "1",
    ...shared,
    ...env,
  };
  return new Promise((resolve) => {
    const options = { cwd: folder, env: all, timeout: 330_000 };
    execFile("nice", ["sh", "-euc", command], options, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : 1, text: `${command}\n${stdout}${stderr}` }),
    );
  });
}

beforeAll(async () => {
  packed = pack(["spec", ...packages.map((name) => `packages/${name}`)]);
  const tarball = (name: string) => `file:${packed.tarballs.get(name)}`;
  const tools = ["vitest", "jest", "esbuild", "msw", "msw-2", "@playwright/test"];
  const own = Object.fromEntries(["@quern/client", "@quern/cli"].map((name) => [name, tarball(name)]));
  const besides = { ...own, ...Object.fromEntries(tools.map((name) => [name, catalogVersion(name)])) };
  const [project = ""] = packed.install({ of: "packages/mock-server", besides });
  runners = [...javaScriptRunners(project), ...otherRunners(packed.folder)];

  mock = await startCommand(process.execPath, [join(project, "node_modules/@quern/cli/bin/quern.js"), "mock"]);
  elsewhere = await remoteNamespace(mock.url, { apiKey: "elsewhere" });
  await elsewhere.when("select elsewhere", { rows: [] });
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  const address = page.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  const barrier = join(packed.folder, "barrier");
  mkdirSync(barrier);
  const able = runners.filter(({ lacks }) => lacks === undefined);
  const open = () => {
    if (ready.length > 0) return;
    ready = readdirSync(barrier);
    writeFileSync(join(barrier, "all"), "");
  };
  const watcher = watch(barrier, () => readdirSync(barrier).length === able.length && open());
  const shared = { SCENARIO_FOLDER: barrier, QUERN_MOCK_URL: mock.url, APP_URL: `http://127.0.0.1:${port}` };
  // The other runners need not wait for a runner that has failed.
  const ended = able.map(async (runner) => outcomes.set(runner.name, await run(runner, shared).finally(open)));
  await Promise.all(ended).finally(() => watcher.close());
});
afterAll(async () => {
  page.close();
  await mock?.stop();
  packed?.[Symbol.dispose]();
});

const jests = ["jest, ES modules", "jest, CommonJS", "jest, CommonJS by a transform"];
const names = ["vitest", ...jests, "node test", "MSW msw", "MSW msw-2", "Playwright", "pytest", "Go", "Java", "Rust"];

describe("one mock serves all runners at once, each alone", () => {
  it("knows each runner", () => expect(runners.map(({ name }) => name)).toEqual(names));

  it("has all their namespaces at one time", () => {
    expect([...ready].sort()).toEqual([...outcomes.keys()].sort());
  });

  it.for(names)("%s performs the scenario, and the example of the guide", (name, { skip }) => {
    const { passes, lacks } = runners.find((one) => one.name === name) ?? {};
    skip(lacks !== undefined, `the machine lacks ${lacks}`);
    const { status, text } = outcomes.get(name) ?? { status: undefined, text: "it did not run" };
    expect(status, text).toBe(0);
    expect(text).toMatch(passes ?? "no pattern");
  });

  it("leaves nothing of them, and has answered none of them by the stub of another", async () => {
    const { calls, unusedStubs } = await elsewhere.history();
    expect([calls, unusedStubs]).toEqual([[], ['when("select elsewhere") matched no statement']]);
    const response = await fetch(`${mock.url}/admin/json-rpc`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listNamespaces", params: [{}] }),
    });
    expect((await response.json()).result.apiKeys).toEqual([API_KEY, "elsewhere"]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listenFlags } from "../../src/listening/flags.ts";
import { binary, firstLine, quern, startQuern } from "../quern.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-serve-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const serve = () => ["serve", "--data-dir", dataDir];

describe.each([
  ["mock", () => ["mock"]],
  ["serve", serve],
])("quern %s", (_, words) => {
  it("prints its address once it answers, accepts the given key, and ends on SIGTERM", async () => {
    const started = startQuern([...words(), "--port", "0"], { QUERN_API_KEY: "qk_given_0123456789" });
    const line = await firstLine(started);
    expect(line).toMatch(/^quern listening on http:\/\/127\.0\.0\.1:\d+$/);
    const env = { QUERN_URL: line.replace("quern listening on ", ""), QUERN_API_KEY: "qk_given_0123456789" };
    expect(await quern(["query", "select 1 as n", "-F", "csv"], env)).toMatchObject({ status: 0, stderr: "" });
    started.signal("SIGTERM");
    const more =
      words()[0] === "mock" ? `admin API at ${env.QUERN_URL}/admin/json-rpc\napi key: ${env.QUERN_API_KEY}\n` : "";
    expect(await started.ended).toEqual({ status: 0, stdout: `${line}\n${more}`, stderr: "" });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("tells its address as one JSON line, and closes by %s", async (signal, status) => {
    const started = startQuern([...words(), "--port", "0", "--json"], { QUERN_API_KEY: "qk_given_0123456789" });
    const line = await firstLine(started);
    expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    started.signal(signal);
    expect((await started.ended).status).toBe(status);
  });

  it("ends when the npx that started it is killed", async () => {
    // Like npm, the wrapper does not signal the command that it starts.
    const script = `require("node:child_process").spawn(process.execPath, ${JSON.stringify([binary, ...words(), "--port", "0", "--json"])}, { stdio: "inherit" })`;
    const wrapper = spawn(process.execPath, ["--eval", script], {
      env: { ...process.env, npm_lifecycle_script: "quern" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { stdout } = wrapper;
    const { url } = JSON.parse(await firstLine({ stdout, ended: new Promise(() => undefined) }));
    wrapper.kill("SIGKILL");
    // Both processes hold the output open, so that it ends with the last of them.
    await once(stdout, "end");
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  }, 20_000);

  it("reports a port in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo; // it listens on a port
    const { status, stderr } = await quern([...words(), "--port", String(port)]);
    other.close();
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(`^quern: port in use: 127.0.0.1:${port}; .*--port.*\n$`),
    });
  });

  it("reports a host that this machine does not have", async () => {
    expect(await quern([...words(), "--host", "192.0.2.1"])).toMatchObject({
      status: 2,
      stderr: "quern: not an address of this machine: 192.0.2.1; choose another with --host\n",
    });
  });
});

describe("a port", () => {
  it.each(["http", "", "-1", "65536", "1.5"])("cannot be %j", (port) => {
    expect(() => listenFlags.port.parse(port)).toThrow();
  });

  it("that is invalid is a usage error", async () => {
    const { status, stderr } = await quern(["mock", "--port", "http"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^quern: .*port.*\n$/) });
  });
});

describe("a data directory", () => {
  it("has one service at a time", async () => {
    const first = startQuern([...serve(), "--port", "0", "--json"]);
    await firstLine(first);
    const second = await quern([...serve(), "--port", "0"]);
    expect(second).toMatchObject({ status: 2, stdout: "" });
    expect(second.stderr).toMatch(/^quern: .*in use by another.*\n$/);
    first.signal("SIGTERM");
    await first.ended;
  });
});

describe("a service", () => {
  it("drains at the first signal for as long as its setting says, and ends at the second", async () => {
    const started = startQuern([...serve(), "--port", "0", "--json", "--set", "shutdownDelaySeconds=600"]);
    const { url } = JSON.parse(await firstLine(started));
    started.signal("SIGTERM");
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    started.signal("SIGTERM");
    expect(await started.ended).toMatchObject({ status: 0, stderr: "" });
  });

  it.each([[["--json"]], [[]]])(
    "that cannot listen prints its first key, which no later start has %j",
    async (json) => {
      const directory = await mkdtemp(join(tmpdir(), "quern-serve-"));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const words = ["serve", "--data-dir", directory, ...json];
      const refused = await quern([...words, "--host", "192.0.2.1"]);
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("not an address of this machine") });
      const [key = ""] = refused.stdout.match(/qk_[\w-]+/) ?? [];
      expect(refused.stdout).toBe(json.length > 0 ? `{"apiKey":"${key}"}\n` : `api key, shown only once: ${key}\n`);
      const started = startQuern(["serve", "--data-dir", directory, "--json", "--port", "0"]);
      const { url, apiKey } = JSON.parse(await firstLine(started));
      expect(apiKey).toBeUndefined();
      const query = ["query", "select 1 as n", "-F", "csv"];
      expect(await quern(query, { QUERN_URL: url, QUERN_API_KEY: key })).toMatchObject({ status: 0, stderr: "" });
      started.signal("SIGTERM");
      await started.ended;
    },
  );

  it("serves its metrics under the allowed host names", async () => {
    const started = startQuern([...serve(), "--port", "0", "--json", "--allowed-hosts", "quern,metrics.example"]);
    const { url } = JSON.parse(await firstLine(started));
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}/metrics`, { headers: { host } }, ({ statusCode }) => resolve(statusCode));
        sent.on("error", reject).end();
      });
    expect([await statusFor("quern"), await statusFor("metrics.example:1"), await statusFor("other")]).toEqual([
      200, 200, 403,
    ]);
    started.signal("SIGTERM");
    await started.ended;
  });
});

describe("a mock", () => {
  const envOf = ({ url, apiKey }: { readonly url: string; readonly apiKey: string }) => ({
    QUERN_URL: url,
    QUERN_API_KEY: apiKey,
  });
  const mock = (...words: string[]) => startQuern(["mock", "--port", "0", "--json", ...words]);

  it("prints all that programs need as JSON", async () => {
    const started = mock();
    const { url, adminUrl, apiKey, pid } = JSON.parse(await firstLine(started));
    expect({ adminUrl, pid }).toEqual({ adminUrl: `${url}/admin`, pid: process.pid });
    expect(apiKey).toMatch(/./);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "createNamespace", params: [{ apiKey: "minted" }] });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${adminUrl}/json-rpc`, { method: "POST", headers, body })).status).toBe(200);
    const list = (key: string) => quern(["list-query-runs"], { QUERN_URL: url, QUERN_API_KEY: key });
    expect(await list("minted")).toMatchObject({ status: 0 });
    expect((await list("any")).status).not.toBe(0);
    started.signal("SIGTERM");
    await started.ended;
  });

  it("that is open accepts any key", async () => {
    const started = mock("--open");
    const { url } = JSON.parse(await firstLine(started));
    expect(await quern(["list-query-runs"], { QUERN_URL: url, QUERN_API_KEY: "any" })).toMatchObject({ status: 0 });
    started.signal("SIGTERM");
    await started.ended;
  });

  it("serves the admin API under the allowed host names", async () => {
    const started = mock("--allowed-hosts", "quern,quern-mock");
    const { adminUrl } = JSON.parse(await firstLine(started));
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        const options = { method: "POST", headers: { host, "content-type": "application/json" } };
        const sent = request(`${adminUrl}/json-rpc`, options, ({ statusCode }) => resolve(statusCode));
        sent.on("error", reject).end('{"jsonrpc":"2.0","id":1,"method":"createNamespace","params":[{}]}');
      });
    expect([await statusFor("quern-mock:8080"), await statusFor("quern"), await statusFor("other")]).toEqual([
      200, 200, 403,
    ]);
    started.signal("SIGTERM");
    await started.ended;
  });

  it("is strict, seeded, or on a clock that jumps, as its flags say", async () => {
    const started = mock("--strict", "--clock", "auto");
    const env = envOf(JSON.parse(await firstLine(started)));
    const { status, stderr } = await quern(["query", "select 1"], env);
    expect([status, stderr]).toEqual([4, expect.stringMatching(/no stub matches "select 1"/)]);
    started.signal("SIGTERM");
    await started.ended;

    const rowsOf = async (seed: string) => {
      const seeded = mock("--seed", seed);
      const { stdout } = await quern(
        ["query", "select a, b from c", "-F", "csv"],
        envOf(JSON.parse(await firstLine(seeded))),
      );
      seeded.signal("SIGTERM");
      await seeded.ended;
      return stdout;
    };
    const [seven, again, eight] = [await rowsOf("7"), await rowsOf("7"), await rowsOf("8")];
    expect(seven).toMatch(/^a,b\r?\n/);
    expect([again === seven, eight === seven]).toEqual([true, false]);
    for (const words of [
      ["--seed", "x"],
      ["--clock", "fast"],
    ])
      expect((await mock(...words).ended).status).toBe(2);
  });

  it("begins with the stubs of a folder, for each key", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-stubs-"));
    try {
      await writeFile(join(folder, "names.csv"), "name\nfiat 128\n");
      const slow = { match: "select slow", rows: [{ n: 1 }], after: "15s" };
      const cars = { match: { pattern: "from cars" }, rowsFile: "names.csv" };
      await writeFile(join(folder, "all.json"), JSON.stringify([slow, cars]));
      const started = mock("--open", "--stubs", folder, "--clock", "auto");
      const { url } = JSON.parse(await firstLine(started));
      const ask = (key: string, sql: string) =>
        quern(["query", sql, "-F", "csv"], { QUERN_URL: url, QUERN_API_KEY: key });
      expect((await ask("one", "select name from cars")).stdout).toMatch(/^name\s+fiat 128\s*$/);
      // The mock's clock advances by fifteen seconds.
      expect((await ask("other", "select slow")).stdout).toMatch(/^n\s+1\s*$/);
      started.signal("SIGTERM");
      await started.ended;
      await writeFile(join(folder, "bad.json"), JSON.stringify({ match: "select", row: [] }));
      const { status, stderr } = await mock("--stubs", folder).ended;
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/bad\.json: stub: unknown member row; did you mean rows\?/),
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("ends with its parent, or when its standard input ends", async () => {
    const parent = spawn(process.execPath, ["--eval", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const started = mock("--parent", String(parent.pid));
    await firstLine(started);
    parent.stdin.end();
    expect(await started.ended).toMatchObject({ status: 0, stderr: "" });

    // The standard input of this process has ended.
    expect(await mock("--parent", "stdin").ended).toMatchObject({ status: 0, stderr: "" });
  });

  it.each(["0", "-1", "me"])("cannot have the parent %j", async (parent) => {
    expect((await mock("--parent", parent).ended).status).toBe(2);
  });
});

describe("a key", () => {
  it("is created and printed once if none is set", async () => {
    const started = startQuern(["mock", "--port", "0", "--json"]);
    const { url, apiKey } = JSON.parse(await firstLine(started));
    expect(await quern(["list-query-runs"], { QUERN_URL: url, QUERN_API_KEY: apiKey })).toMatchObject({ status: 0 });
    started.signal("SIGTERM");
    await started.ended;
  });
});

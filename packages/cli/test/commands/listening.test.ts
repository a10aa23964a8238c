import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenFlags } from "../../src/commands/listening.ts";
import { firstLine, quern, startQuern } from "../quern.ts";

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
  it("tells its address once it answers, takes the given key, and ends when told to", async () => {
    const started = startQuern([...words(), "--port", "0"], { QUERN_API_KEY: "qk_given_0123456789" });
    const line = await firstLine(started);
    expect(line).toMatch(/^quern listening on http:\/\/127\.0\.0\.1:\d+$/);
    const env = { QUERN_URL: line.replace("quern listening on ", ""), QUERN_API_KEY: "qk_given_0123456789" };
    expect(await quern(["query", "select 1 as n", "-f", "csv"], env)).toMatchObject({ status: 0, stderr: "" });
    started.signal("SIGTERM");
    const more =
      words()[0] === "mock" ? `scripted at ${env.QUERN_URL}/admin/json-rpc\napi key: ${env.QUERN_API_KEY}\n` : "";
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

  it("says that a port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo; // it listens on a port
    const { status, stderr } = await quern([...words(), "--port", String(port)]);
    other.close();
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(`^quern: port ${port} of 127.0.0.1 is taken; .*--port.*\n$`),
    });
  });
});

describe("a port", () => {
  it.each(["http", "", "-1", "65536", "1.5"])("cannot be %j", (port) => {
    expect(() => listenFlags.port.parse(port)).toThrow();
  });

  it("that is none is a usage error", async () => {
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

describe("a mock", () => {
  const mock = (...words: string[]) => startQuern(["mock", "--port", "0", "--json", ...words]);

  it("tells programs all they need", async () => {
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

  it("is scripted under the names that are allowed", async () => {
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

  it("ends with its parent, or when its standard input ends", async () => {
    const parent = spawn(process.execPath, ["--eval", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const started = mock("--parent", String(parent.pid));
    await firstLine(started);
    parent.stdin.end();
    expect(await started.ended).toMatchObject({ status: 0, stderr: "" });

    // The input of this one is at its end.
    expect(await mock("--parent", "stdin").ended).toMatchObject({ status: 0, stderr: "" });
  });

  it.each(["0", "-1", "me"])("cannot have the parent %j", async (parent) => {
    expect((await mock("--parent", parent).ended).status).toBe(2);
  });
});

describe("a key", () => {
  it("is made and shown once where there is none", async () => {
    const started = startQuern(["mock", "--port", "0", "--json"]);
    const { url, apiKey } = JSON.parse(await firstLine(started));
    expect(await quern(["list-query-runs"], { QUERN_URL: url, QUERN_API_KEY: apiKey })).toMatchObject({ status: 0 });
    started.signal("SIGTERM");
    await started.ended;
  });
});

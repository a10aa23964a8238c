import { request } from "node:http";
import { text } from "node:stream/consumers";
import { createServer, type Server } from "@quern/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idleKind, temporaryDirectory } from "../fixture.ts";
import { inConsoleFolder, page } from "./console-folder.ts";

const errors: string[] = [];
const log = { error: (message: string) => void errors.push(message) };
const options = {
  apiKey: "a key",
  sourceKinds: { duckdb: idleKind },
  sources: [{ name: "test", provider: "quern" }],
  log,
};
let server: Server;
let url: string;

beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  server = await inConsoleFolder(async () => {
    const opened = await createServer({
      ...options,
      dataDir,
      allowedHosts: ["quern.internal"],
      publicUrl: "https://quern.example",
    });
    ({ url } = await opened.listen());
    await get("/console/"); // reads the file before it is removed
    return opened;
  });
});
afterAll(() => server.close());

async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET", base = url) {
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    request(`${base}${path}`, { method, headers }, resolve).on("error", reject).end();
  });
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe("a service with the package of the console", () => {
  it("serves it, and leads browsers there", async () => {
    const { status, headers, body } = await get("/console/");
    expect([status, headers["content-type"], body]).toEqual([200, "text/html; charset=utf-8", page]);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers["x-request-id"]).toMatch(/./);
    const root = await get("/", { accept: "text/html" });
    expect([root.status, root.headers.location]).toEqual([302, "console/"]);
    expect((await get("/console/", {}, "HEAD")).body).toBe("");
  });

  it("answers other clients and paths as one without", async () => {
    const unknown = { status: 404, body: expect.stringContaining("unknown path; POST to /json-rpc") };
    expect(await get("/")).toMatchObject(unknown);
    expect(await get("/index.html", { accept: "text/html" })).toMatchObject(unknown);
    expect(await get("/healthz", { accept: "text/html" })).toMatchObject({ status: 200, body: '{"status":"ok"}\n' });
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/metrics")).body).toContain("# TYPE");
    expect((await get("/console/../../package.json")).status).toBe(404);
  });

  it("refuses names that a page could point to it", async () => {
    const hosts = ["localhost:1", "192.0.2.7:8080", "[::1]:1", "quern.internal", "quern.example"];
    for (const host of hosts) expect((await get("/console/", { host })).status).toBe(200);
    for (const path of ["/console/", "/console/assets/index-B_9x-aZ0.js", "/console"])
      expect(await get(path, { host: "evil.example" })).toMatchObject({
        status: 403,
        body: "Host not allowed: evil.example; add it to the setting allowedHosts.\n",
      });
  });
});

it("the setting console turns it off", async () => {
  const dataDir = await temporaryDirectory();
  await using other = await inConsoleFolder(() => createServer({ ...options, dataDir, console: false }));
  const listening = await other.listen();
  for (const path of ["/", "/console/", "/console/session"])
    expect((await get(path, { accept: "text/html" }, "GET", listening.url)).status).toBe(404);
  expect(() => other.signInLink()).toThrow(/^No sign-in link: the service has no console; /);
});

it("a service starts with an incomplete package, and logs it", async () => {
  const dataDir = await temporaryDirectory();
  await using other = await inConsoleFolder(() => createServer({ ...options, dataDir }), "dist/index.html");
  const listening = await other.listen();
  expect((await get("/console/", {}, "GET", listening.url)).status).toBe(404);
  expect(errors).toEqual(["the console cannot be served"]);
});

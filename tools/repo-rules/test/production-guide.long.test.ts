import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, createClient, listQueryRuns, query, rowsOf } from "@quern/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../packages/s3/test/storage.ts";
import { type Packed, pack, run } from "../src/packed.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";
import { root } from "../src/tree.ts";

const guide = "docs/guides/dashboard-in-production.md";
const files = snippets(guide).filter(({ language }) => language === "tsx");
const folders = ["json-rpc", "protocol", "client", "react"].map((name) => `packages/${name}`);
const versions = {
  express: "5.3.0",
  hono: "4.13.19",
  jose: "6.2.17",
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
  // The type check of Next needs an API that TypeScript 7 lacks.
  typescript: "5.9.3",
  "@types/node": "22.20.5",
  "@types/react": "19.3.0",
  "@types/express": "5.0.6",
};

let packed: Packed;
let project: string;
let service: Service;
let api: Client;
const children: ChildProcess[] = [];

beforeAll(async () => {
  packed = pack(folders);
  [project = ""] = packed.install({ of: "packages/react", besides: versions });
  for (const { code } of files) {
    const name = code.match(/^\/\/ (\S+)$/m)?.[1] ?? "unnamed.ts";
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), code);
  }
  const dataDir = join(packed.folder, "data");
  const samples = run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", dataDir], project);
  expect(samples.status, samples.stderr).toBe(0);
  service = await start("serve", "--data-dir", dataDir);
  api = createClient({ url: service.url, apiKey: API_KEY });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGTERM");
  await service?.stop();
  packed?.[Symbol.dispose]();
});

const env = (url: string) => ({
  QUERN_URL: service.url,
  QUERN_API_KEY: API_KEY,
  PAGE_URL: url,
  SESSION_SECRET: "s".repeat(32),
  NEXT_TELEMETRY_DISABLED: "1",
  NODE_ENV: "production",
});

/** Starts a server of the guide, and resolves once it answers. */
async function open(args: readonly string[]): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = args.map((word) => (word === "PORT" ? String(port) : word));
  const child = spawn(process.execPath, words, {
    cwd: project,
    env: { ...process.env, ...env(url), PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  } as const);
  children.push(child);
  createInterface({ input: child.stdout }).on("line", () => {});
  await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 });
  return url;
}

/** Signs in as a browser does, and returns the cookie. */
async function signIn(url: string): Promise<string> {
  const body = new URLSearchParams({ user: "ann" });
  const answer = await fetch(`${url}/login`, { method: "POST", body, redirect: "manual", headers: { origin: url } });
  expect(answer.status).toBe(303);
  const cookie = answer.headers.get("set-cookie") ?? "";
  for (const word of [/httponly/i, /secure/i, /samesite=strict/i]) expect(cookie).toMatch(word);
  return cookie.split(";")[0] ?? "";
}

/** Returns the client of the guide's page, in a browser that has a cookie. */
const pageClient = (url: string, cookie: string) =>
  createClient({
    url,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, cookie } }),
  });

async function expectProxy(url: string): Promise<string> {
  await expect(query(pageClient(url, ""), { sql: "select 1 as n" })).rejects.toMatchObject({ status: 401 });
  await expect(query(pageClient(url, "session=forged"), { sql: "select 1 as n" })).rejects.toMatchObject({
    status: 401,
  });
  const cookie = await signIn(url);
  const result = await query(pageClient(url, cookie), { sql: "select 7 as n" });
  expect(await Array.fromAsync(rowsOf(result))).toEqual([{ n: 7 }]);
  expect((await listQueryRuns(api, { limit: 100 })).queryRuns.map(({ id }) => id)).toContain(result.queryRunId);
  return cookie;
}

describe("the guide to production", () => {
  it("proxies with Express: no call without a session, and rows with one", async () => {
    await expectProxy(await open(["server.ts"]));
  });

  it("proxies with Hono, and in a server with fetch", async () => {
    const url = "http://page.example";
    for (const [name, value] of Object.entries(env(url))) vi.stubEnv(name, value);
    const { app } = await import(join(project, "hono.ts"));
    const { default: server } = await import(join(project, "proxy.ts"));
    const { signIn } = await import(join(project, "lib/session.ts"));
    for (const { fetch } of [app, server]) {
      const send = (cookie: string) =>
        createClient({
          url,
          fetch: (input, init) => fetch(new Request(input, { ...init, headers: { ...init.headers, cookie } })),
        });
      await expect(query(send("session=forged"), { sql: "select 1 as n" })).rejects.toMatchObject({ status: 401 });
      const result = await query(send(`theme=dark; session=${await signIn("ann")}`), { sql: "select 7 as n" });
      expect(await Array.fromAsync(rowsOf(result))).toEqual([{ n: 7 }]);
      expect((await fetch(new Request(`${url}/other`, { method: "POST" }))).status).toBe(404);
    }
    vi.unstubAllEnvs();
  });

  it("proxies and renders with Next: the page has its rows and no key", async () => {
    // Next checks the types of all files in its folder, and the Express server's imports need another module
    // resolution.
    for (const name of ["server.ts", "page.ts", "proxy.ts", "hono.ts"]) rmSync(join(project, name));
    const next = join("node_modules", "next", "dist", "bin", "next");
    const built = run(process.execPath, [next, "build"], project, env("http://127.0.0.1"));
    expect(built.status, built.stdout + built.stderr).toBe(0);
    const url = await open([next, "start", "--hostname", "127.0.0.1", "--port", "PORT"]);
    const cookie = await expectProxy(url);
    expect(await (await fetch(url)).text()).toContain("Sign in");
    const html = await (await fetch(url, { headers: { cookie } })).text();
    // The hooks find the rows in the cache only under the same key as the server's.
    expect(html.replaceAll("<!-- -->", "")).toContain("<li>USA: 254</li>");
    expect(html).not.toContain(API_KEY);
    expect(html).toMatch(/aria-busy="false"/);
  });
});

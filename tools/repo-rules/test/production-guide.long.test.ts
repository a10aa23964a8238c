import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, createClient, listQueryRuns, query, rowsOf } from "@quern/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../packages/s3/test/storage.ts";
import { type Packed, pack, run } from "../src/packed.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";
import { manifest, read, root } from "../src/tree.ts";

const examples = ["express-proxy", "hono-proxy", "next-app"] as const;
const folders = ["json-rpc", "protocol", "client", "react"].map((name) => `packages/${name}`);
let packed: Packed;
let projects: Readonly<Record<string, string>>;
let service: Service;
let api: Client;
const children: ChildProcess[] = [];

beforeAll(async () => {
  packed = pack(folders);
  const installed = packed.install(
    ...examples.map((name) => {
      const { dependencies, devDependencies } = manifest(`examples/${name}`);
      return { of: "packages/react", besides: { ...dependencies, ...devDependencies } };
    }),
  );
  projects = Object.fromEntries(examples.map((name, index) => [name, installed[index] ?? ""]));
  for (const name of examples) {
    const isCopied = (path: string) => !/node_modules|\.next|package\.json$/.test(path.slice(root.length));
    cpSync(join(root, "examples", name), projects[name] ?? "", { recursive: true, filter: isCopied });
  }
  const dataDir = join(packed.folder, "data");
  const samples = run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", dataDir], root);
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

/** Starts a server of an example, and resolves once it answers. */
async function open(example: string, args: readonly string[]): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = args.map((word) => (word === "PORT" ? String(port) : word));
  const child = spawn(process.execPath, words, {
    cwd: projects[example],
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
  it("shows the files of its examples", () => {
    const shown = snippets("docs/guides/dashboard-in-production.md").flatMap(({ code }) => {
      const [, name, text] = /^\/\/ (\S+)\n([\s\S]*)$/.exec(code) ?? [];
      return name === undefined || name === "page.ts" ? [] : [{ name, text }];
    });
    for (const example of examples) {
      const files = globSync("**/*.{ts,tsx}", { cwd: join(root, "examples", example), exclude: ["node_modules"] });
      for (const file of files.filter((each) => each !== "start.ts")) {
        const text = read(`examples/${example}/${file.replaceAll("\\", "/")}`);
        expect(shown, `examples/${example}/${file}`).toContainEqual({ name: file, text });
      }
    }
  });

  it("proxies with Express: no call without a session, and rows with one", async () => {
    await expectProxy(await open("express-proxy", ["server.ts"]));
  });

  it("proxies with Hono, and in a server with fetch", async () => {
    const url = "http://page.example";
    for (const [name, value] of Object.entries(env(url))) vi.stubEnv(name, value);
    const hono = (file: string) => import(join(projects["hono-proxy"] ?? "", file));
    const { app } = await hono("hono.ts");
    const { default: server } = await hono("proxy.ts");
    const { signIn } = await hono("lib/session.ts");
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
    const started = createClient({ url: await open("hono-proxy", ["start.ts"]) });
    await expect(query(started, { sql: "select 1 as n" })).rejects.toMatchObject({ status: 401 });
  });

  it("proxies and renders with Next: the page has its rows and no key", async () => {
    const next = join("node_modules", "next", "dist", "bin", "next");
    const built = run(process.execPath, [next, "build"], projects["next-app"] ?? "", env("http://127.0.0.1"));
    expect(built.status, built.stdout + built.stderr).toBe(0);
    const url = await open("next-app", [next, "start", "--hostname", "127.0.0.1", "--port", "PORT"]);
    const cookie = await expectProxy(url);
    expect(await (await fetch(url)).text()).toContain("Sign in");
    const html = await (await fetch(url, { headers: { cookie } })).text();
    // The hooks find the rows in the cache only under the same key as the server's.
    expect(html.replaceAll("<!-- -->", "")).toContain("<li>USA: 254</li>");
    expect(html).not.toContain(API_KEY);
    expect(html).toMatch(/aria-busy="false"/);
  });
});

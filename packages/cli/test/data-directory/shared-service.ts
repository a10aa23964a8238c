import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { binary, firstLine, withoutWarnings } from "../quern.ts";

const distOf = (file: string) => new URL(`../../../server/dist/${file}`, import.meta.url).href;

/**
 * Stand-in for `@quern/postgres`, on an SQLite file that the servers share. It refuses another password, and a delay that
 * does not fit the lease. It notes that it was loaded.
 */
const fakeStore = (folder: string) => `
import { writeFileSync } from "node:fs";
import { openSqliteStore } from ${JSON.stringify(distOf("sqlite/store.js"))};
writeFileSync(${JSON.stringify(join(folder, "loaded-postgres"))}, "");
export async function createStore({ url, password, reclaimDelayMs }) {
  if (password !== "right") throw new Error("The password of " + url + " is wrong.");
  if (reclaimDelayMs !== (process.env.QUERN_LEASE_SECONDS ?? 30) * 1_000 / 3) throw new Error("a delay of " + reclaimDelayMs);
  return { ...openSqliteStore(${JSON.stringify(join(folder, "shared.db"))}), isShared: true };
}`;

/** Stand-in for `@quern/s3`, on a folder that the servers share. */
const fakeResults = (folder: string) => `
import { writeFileSync } from "node:fs";
import { createResultStore as create } from ${JSON.stringify(distOf("results/result-store.js"))};
writeFileSync(${JSON.stringify(join(folder, "loaded-s3"))}, "");
export async function createResultStore({ url, serviceId, cacheDirectory, maxCacheBytes, rowCountOf }) {
  if (![url, serviceId, cacheDirectory].every((each) => typeof each === "string")) throw new Error("no text");
  if (maxCacheBytes !== 10_000_000_000 || typeof rowCountOf !== "function") throw new Error("no option");
  return create(${JSON.stringify(join(folder, "shared-results"))}, true);
}`;

type Environment = Readonly<Record<string, string>>;

interface RunningServer {
  readonly url: string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Folder in which the packages of a shared store are installed, as stand-ins, and commands that run in it. */
export interface SharedFolder extends AsyncDisposable {
  readonly env: Environment;
  run(
    words: readonly string[],
    env?: Environment,
  ): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
  serve(words: readonly string[], env?: Environment): Promise<RunningServer>;
  /** Names of the loaded stand-ins. */
  loaded(): Promise<readonly string[]>;
}

export async function createSharedFolder(): Promise<SharedFolder> {
  const folder = await mkdtemp(join(tmpdir(), "quern-shared-"));
  for (const [name, code] of [
    ["postgres", fakeStore(folder)],
    ["s3", fakeResults(folder)],
  ] as const) {
    const directory = join(folder, "node_modules/@quern", name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(directory, "index.js"), code);
  }
  const servers: RunningServer[] = [];
  const start = (words: readonly string[], env: Environment) =>
    spawn(process.execPath, ["--no-warnings", binary, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    env: {
      QUERN_STORE: "postgres://quern@db.example.com/quern",
      QUERN_STORE_PASSWORD: "right",
      QUERN_RESULTS: "s3://bucket/prefix",
    },
    async run(words, env = {}) {
      const child = start(words, env);
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
      return { status: child.exitCode, stdout, stderr: withoutWarnings(stderr) };
    },
    async serve(words, env = {}) {
      const child = start(["serve", "--port", "0", "--json", ...words], env);
      const ended = Promise.all([text(child.stderr), once(child, "exit")]).then(([stderr]) => ({
        stderr: withoutWarnings(stderr),
      }));
      const { url } = JSON.parse(await firstLine({ stdout: child.stdout, ended }));
      const server: RunningServer = {
        url,
        async kill(signal) {
          child.kill(signal);
          await ended;
        },
      };
      servers.push(server);
      return server;
    },
    loaded: async () => (await readdir(folder)).filter((name) => name.startsWith("loaded-")).sort(),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.kill("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

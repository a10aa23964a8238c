import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const VERSION = "476";
const ARTIFACT = `io.trino:trino-server:${VERSION}:tar.gz`;
const START_TIMEOUT_MS = 240_000;

/** Single-node Trino on this machine. */
export interface Trino extends AsyncDisposable {
  /** Runs a statement to its last row. */
  run(sql: string): Promise<void>;
}

/**
 * Starts Trino. Returns undefined, and prints what is missing, if the machine lacks Java 24 or later or the server, or
 * the server does not start.
 */
export async function startTrino(): Promise<Trino | undefined> {
  const java = newestJava();
  if (java === undefined) return missing("Java 24 or later");
  const home = unpacked();
  if (home === undefined)
    return missing(`the server; get it with: mvn dependency:get -Dartifact=${ARTIFACT} -Dtransitive=false`);
  const folder = mkdtempSync(join(tmpdir(), "quern-bench-trino-"));
  const port = await freePort();
  configure(folder, home, port);
  const server = spawn(join(home, "bin", "launcher"), ["run", "--etc-dir", join(folder, "etc")], {
    env: { ...process.env, JAVA_HOME: java, PATH: `${join(java, "bin")}:${process.env.PATH}` },
    stdio: "ignore",
    detached: true,
  });
  const url = `http://127.0.0.1:${port}/v1/statement`;
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    if (server.pid !== undefined && server.exitCode === null) {
      process.kill(-server.pid, "SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const run = (sql: string): Promise<void> => runStatement(url, sql);
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const error = await run("select 1").then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return { run, [Symbol.asyncDispose]: stop };
    if (Date.now() > deadline || server.exitCode !== null) {
      await stop();
      return missing(`a server that starts: ${error}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function missing(what: string): undefined {
  console.log(`Trino is not measured: this machine lacks ${what}`);
}

function newestJava(): string | undefined {
  const homes = [process.env.JAVA_HOME ?? "", ...globSync("/usr/lib/jvm/*")].filter((home) =>
    existsSync(join(home, "release")),
  );
  return homes.find((home) => {
    const text = execFileSync(join(home, "bin", "java"), ["--version"], { encoding: "utf8" });
    return Number(/^\S+ (\d+)/.exec(text)?.[1]) >= 24;
  });
}

/** Returns the directory of the server, which is unpacked once into the cache of the benchmark. */
function unpacked(): string | undefined {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "quern-bench");
  const home = join(cache, `trino-server-${VERSION}`);
  if (existsSync(home)) return home;
  const archive = join(homedir(), ".m2/repository/io/trino/trino-server", VERSION, `trino-server-${VERSION}.tar.gz`);
  if (!existsSync(archive)) return undefined;
  mkdirSync(cache, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", cache]);
  return home;
}

function configure(folder: string, home: string, port: number): void {
  const etc = join(folder, "etc");
  const plugins = join(folder, "plugin");
  mkdirSync(join(etc, "catalog"), { recursive: true });
  mkdirSync(plugins);
  symlinkSync(join(home, "plugin", "tpch"), join(plugins, "tpch"));
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(etc, name), `${lines.join("\n")}\n`);
  write("node.properties", [
    "node.environment=bench",
    "node.id=bench",
    `node.data-dir=${join(folder, "data")}`,
    "node.bind-ip=127.0.0.1",
    "node.internal-address=127.0.0.1",
  ]);
  write("config.properties", [
    "coordinator=true",
    "node-scheduler.include-coordinator=true",
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    "query.max-memory-per-node=256MB",
    "memory.heap-headroom-per-node=256MB",
    `plugin.dir=${plugins}`,
  ]);
  write("jvm.config", ["-Xmx1G", "-XX:+ExitOnOutOfMemoryError", "-Djdk.attach.allowAttachSelf=true"]);
  write("log.properties", ["io.trino=WARN"]);
  write("catalog/tpch.properties", ["connector.name=tpch"]);
}

interface Answer {
  readonly nextUri?: string;
  readonly error?: { readonly message: string };
}

async function runStatement(url: string, sql: string): Promise<void> {
  const headers = { "x-trino-user": "bench" };
  let answer: Answer = await read(fetch(url, { method: "POST", body: sql, headers }));
  while (answer.nextUri !== undefined) answer = await read(fetch(answer.nextUri, { headers }));
}

async function read(response: Promise<Response>): Promise<Answer> {
  const answer: Answer = await (await response).json();
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

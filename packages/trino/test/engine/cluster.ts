import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort, startStorage } from "../../../s3/test/storage.ts";
import { execute } from "../samples.ts";
import { writeNodeFiles } from "./node-files.ts";
import { serverVersion, unpackedServer } from "./tarball.ts";
import { addressOf, createKeyStore, type TestTrino } from "./test-trino.ts";

const startSeconds = 800;

/** Starts Trino as its operators do: a coordinator, a worker that executes, and a bucket for spooled segments. */
export async function startCluster(java: string, directSegments: boolean): Promise<TestTrino> {
  const server = await unpackedServer(java);
  const work = await mkdtemp(join(tmpdir(), "trino-"));
  const storage = await startStorage();
  await storage.createBucket("spooled");
  const keys = await createKeyStore(java, work);
  const ports = { http: await freePort(), https: await freePort(), worker: await freePort() };
  writeNodeFiles(work, { keys: keys.path, storage: storage.endpoint, directSegments, ports });
  const nodes = ["coordinator", "worker"].map((name) => startNode(java, server, join(work, name)));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(crash));
    await storage[Symbol.asyncDispose]();
    await rm(work, { recursive: true, force: true });
  };
  const http = `127.0.0.1:${ports.http}`;
  try {
    await whenReady(http, nodes);
  } catch (error) {
    const logs = await Promise.all(["coordinator", "worker"].map((name) => readFile(join(work, name, "log"), "utf8")));
    await stop();
    throw new Error(`Trino did not start: ${logs.map((log) => log.slice(-2000)).join("\n")}`, { cause: error });
  }
  return {
    version: serverVersion,
    http,
    https: `127.0.0.1:${ports.https}`,
    certificate: keys.certificate,
    segments: directSegments ? `${storage.endpoint}/spooled/` : `http://${http}/v1/spooled/download/`,
    address: (user, path = "", parameters = {}) =>
      addressOf(http, user, path, { storage: directSegments ? storage.endpoint : undefined, ...parameters }),
    [Symbol.asyncDispose]: stop,
  };
}

function startNode(java: string, server: string, folder: string): ChildProcess {
  const log = openSync(join(folder, "log"), "w");
  const env = { ...process.env, JAVA_HOME: java, PATH: `${join(java, "bin")}:${process.env.PATH}` };
  const args = ["run", "--etc-dir", join(folder, "etc")];
  const child = spawn(join(server, "bin/launcher"), args, { env, stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

/** Ends a node by SIGKILL: a coordinator that ends by itself waits for its queries. */
async function crash(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Waits until the coordinator executes a statement on the worker. */
async function whenReady(host: string, nodes: readonly ChildProcess[]): Promise<void> {
  const deadline = Date.now() + startSeconds * 1000;
  for (;;) {
    const failure = await execute(host, "SELECT count(*) FROM tpch.tiny.region").catch((error: Error) => error.message);
    if (failure === undefined) return;
    if (Date.now() > deadline) throw new Error(`not ready after ${startSeconds} seconds: ${failure}`);
    if (nodes.some(({ exitCode }) => exitCode !== null)) throw new Error("a process has ended");
    await setTimeout(500);
  }
}

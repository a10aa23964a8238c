import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machineCache } from "../../../s3/test/machine-cache.ts";
import { hasMaven } from "./java.ts";
import { addressOf, createKeyStore, password, type TestTrino } from "./test-trino.ts";

export const embeddedVersion = "483";
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Trino is downloaded once for the machine: 226 MB. */
const folder = join(machineCache, `trino-${embeddedVersion}`);
const jars = join(folder, "jars");

/** Returns undefined if a machine with Java can run it, else the reason. */
export function missingForEmbedded(): string | undefined {
  return existsSync(jars) || hasMaven() ? undefined : "the machine lacks mvn";
}

/** Starts the Trino of Trino's own tests: a coordinator in one process, without workers. */
export async function startEmbedded(java: string): Promise<TestTrino> {
  await download(java);
  const work = await mkdtemp(join(tmpdir(), "trino-"));
  const keys = await createKeyStore(java, work);
  const child = spawn(join(java, "bin/java"), argumentsOf(work, keys.path), { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await rm(work, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const ports = portsIn(`${line}\n`);
    if (ports === undefined) continue;
    child.stdout.resume();
    return trinoAt(ports, keys.certificate, stop);
  }
  await stop();
  throw notStarted();
}

/**
 * Returns a Trino that all test files of a run of vitest share. The first one that needs it starts it, and it ends with
 * vitest, whose temporary directory it uses.
 */
export async function shareEmbedded(java: string): Promise<TestTrino> {
  const work = join(tmpdir(), "shared-trino");
  const output = join(work, "output");
  const isFirst = await mkdir(work).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await download(java);
    const keys = await createKeyStore(java, work);
    const args = [...argumentsOf(work, keys.path), String(process.ppid)];
    const file = await open(output, "w");
    const child = spawn(join(java, "bin/java"), args, { stdio: ["ignore", file.fd, "ignore"], detached: true });
    child.once("exit", () => void file.write("\nfailed\n"));
    child.unref();
  }
  for (;;) {
    const text = await readFile(output, "utf8").catch(() => "");
    const ports = portsIn(text);
    if (ports !== undefined)
      return trinoAt(ports, await readFile(join(work, "certificate.pem"), "utf8"), async () => {});
    if (text.includes("failed")) throw notStarted();
    await setTimeout(200);
  }
}

const notStarted = (): Error => new Error("Trino did not start; run test/engine/Engine.java by hand to see why");

function argumentsOf(work: string, keys: string): readonly string[] {
  const options = [
    "-Xmx1G",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "--add-modules=jdk.incubator.vector",
    "-Djdk.attach.allowAttachSelf=true",
    `-Djava.io.tmpdir=${work}`,
  ];
  return [...options, "-cp", join(jars, "*"), here("Engine.java"), keys, password, here("rules.json")];
}

type Ports = readonly [http: string, https: string];

function portsIn(output: string): Ports | undefined {
  const [, http, https] = /^ports (\d+) (\d+)\n/m.exec(output) ?? [];
  return http === undefined || https === undefined ? undefined : [http, https];
}

function trinoAt([http, https]: Ports, certificate: string, stop: () => Promise<void>): TestTrino {
  return {
    version: embeddedVersion,
    http: `127.0.0.1:${http}`,
    https: `127.0.0.1:${https}`,
    certificate,
    segments: `http://127.0.0.1:${http}/v1/spooled/download/`,
    address: (user, path = "", parameters = {}) => addressOf(`127.0.0.1:${http}`, user, path, parameters),
    [Symbol.asyncDispose]: stop,
  };
}

/** Downloads Trino, unless another test has done so. */
async function download(java: string): Promise<void> {
  if (existsSync(jars)) return;
  mkdirSync(folder, { recursive: true });
  const own = await mkdtemp(join(folder, "download-"));
  cpSync(here("pom.xml"), join(own, "pom.xml"));
  const env = { ...process.env, JAVA_HOME: java };
  const args = ["-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=jars"];
  await promisify(execFile)("mvn", args, { cwd: own, env });
  if (readdirSync(join(own, "jars")).length === 0) throw new Error("Maven copied no jars");
  if (!existsSync(jars)) renameSync(join(own, "jars"), jars);
  rmSync(own, { recursive: true });
}

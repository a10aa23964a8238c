import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
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
  const options = [
    "-Xmx1G",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "--add-modules=jdk.incubator.vector",
    "-Djdk.attach.allowAttachSelf=true",
  ];
  const program = ["-cp", join(jars, "*"), here("Engine.java"), keys.path, password, here("rules.json")];
  const args = [...options, `-Djava.io.tmpdir=${work}`, ...program];
  const child = spawn(join(java, "bin/java"), args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await rm(work, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const [, http, https] = /^ports (\d+) (\d+)$/.exec(line) ?? [];
    if (http === undefined) continue;
    child.stdout.resume();
    return {
      version: embeddedVersion,
      http: `127.0.0.1:${http}`,
      https: `127.0.0.1:${https}`,
      certificate: keys.certificate,
      segments: `http://127.0.0.1:${http}/v1/spooled/download/`,
      address: (user, path = "", parameters = {}) => addressOf(`127.0.0.1:${http}`, user, path, parameters),
      [Symbol.asyncDispose]: stop,
    };
  }
  await stop();
  throw new Error("Trino did not start; run test/engine/Engine.java by hand to see why");
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

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { machineCache } from "../../../s3/test/machine-cache.ts";
import { hasMaven } from "./java.ts";

/** The newest server on Maven Central. */
export const serverVersion = "476";
const name = `trino-server-${serverVersion}`;
const tarball = join(homedir(), `.m2/repository/io/trino/trino-server/${serverVersion}/${name}.tar.gz`);
const folder = join(machineCache, name);
const plugins = ["memory", "password-authenticators", "spooling-filesystem", "tpch"];

/** Returns true if the machine has the server already. */
export const hasServer = (): boolean => existsSync(folder) || existsSync(tarball);

/** Returns true if the machine has the server, or can download it. */
export const canGetServer = (): boolean => hasServer() || hasMaven();

/** Returns the folder of the unpacked server. Downloads 821 MB the first time, and keeps 190 MB of it unpacked. */
export async function unpackedServer(java: string): Promise<string> {
  if (existsSync(folder)) return folder;
  if (!existsSync(tarball)) {
    const artifact = `-Dartifact=io.trino:trino-server:${serverVersion}:tar.gz`;
    const env = { ...process.env, JAVA_HOME: java };
    await promisify(execFile)("mvn", ["-B", "-q", "dependency:get", artifact, "-Dtransitive=false"], { env });
  }
  mkdirSync(machineCache, { recursive: true });
  const own = await mkdtemp(join(machineCache, "unpack-"));
  // The plugins are hard links to files of each other, so tar cannot extract only some of them.
  await promisify(execFile)("tar", ["-xzf", tarball, "-C", own]);
  const all = join(own, name, "plugin");
  const used = join(own, name, "used");
  mkdirSync(used);
  for (const plugin of plugins) renameSync(join(all, plugin), join(used, plugin));
  rmSync(all, { recursive: true });
  renameSync(used, all);
  if (!existsSync(folder)) renameSync(join(own, name), folder);
  rmSync(own, { recursive: true });
  return folder;
}

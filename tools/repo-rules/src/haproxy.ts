import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** HAProxy of the machine, or of Debian's packages that are unpacked in the cache, with their libraries. */
export interface Haproxy {
  /** Returns the warnings and faults of a configuration. */
  check(file: string): { readonly status: number | null; readonly stderr: string };
  start(file: string): ChildProcess;
}

const unpacked = join(homedir(), ".cache/quern-tools/haproxy");

/** Returns undefined if the machine lacks HAProxy. */
export function findHaproxy(): Haproxy | undefined {
  const program = [join(unpacked, "usr/sbin/haproxy"), "/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
  if (program === undefined) return undefined;
  const env = { ...process.env, LD_LIBRARY_PATH: join(unpacked, "usr/lib/x86_64-linux-gnu") };
  if (spawnSync(program, ["-v"], { env }).status !== 0) return undefined;
  return {
    check(file) {
      const { status, stderr } = spawnSync(program, ["-c", "-q", "-f", file], { env, encoding: "utf8" });
      return { status, stderr };
    },
    start: (file) => spawn(program, ["-q", "-db", "-f", file], { env, stdio: ["ignore", "ignore", "inherit"] }),
  };
}

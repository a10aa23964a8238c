import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { machineCache } from "./machine-cache.ts";

const version = "v1.8.0";
const folder = join(machineCache, `versitygw-${version}`);
const binary = join(folder, "versitygw");
const lock = join(folder, "lock");
/** A lock that is older was left by a test that was killed. */
const maxBuildMs = 15 * 60_000;

/** Returns true if the machine has versitygw, or can build it. */
export function hasVersitygw(): boolean {
  if (existsSync(binary)) return true;
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of versitygw. Builds it once for all tests of the machine. */
export async function versitygw(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  while (!existsSync(binary)) {
    if (isLockedByOther()) {
      await setTimeout(500);
      continue;
    }
    try {
      const built = join(folder, "built");
      const env = { ...process.env, GOBIN: built };
      await promisify(execFile)("go", ["install", `github.com/versity/versitygw/cmd/versitygw@${version}`], { env });
      renameSync(join(built, "versitygw"), binary);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return binary;
}

/** Takes the lock. Returns true if another process has it. */
function isLockedByOther(): boolean {
  try {
    mkdirSync(lock);
    return false;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > maxBuildMs) rmSync(lock, { recursive: true, force: true });
    return true;
  }
}

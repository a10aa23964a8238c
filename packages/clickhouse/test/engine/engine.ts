import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { machineCache } from "../../../s3/test/machine-cache.ts";

const release = "chdb-core==26.9.0";
const folder = join(machineCache, release.replace("==", "-"));
const shim = fileURLToPath(new URL("http_shim.py", import.meta.url));

/** ClickHouse's engine behind a thin HTTP interface. */
export interface Engine extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
}

/** Returns true if the machine has the engine, or Python to install it (890 MB). */
export function hasEngine(): boolean {
  if (existsSync(folder)) return true;
  try {
    execFileSync("python3", ["-c", "import venv, sys; sys.exit(sys.version_info < (3, 9))"], { stdio: "ignore" });
    return process.platform !== "win32";
  } catch {
    return false;
  }
}

export async function startEngine(): Promise<Engine> {
  install();
  const child = spawn(join(folder, "bin", "python"), [shim], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the engine ended with ${code}`))),
  ])) as [string];
  return {
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

function install(): void {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  try {
    execFileSync("python3", ["-m", "venv", unfinished], { stdio: "ignore" });
    execFileSync(join(unfinished, "bin", "python"), ["-m", "pip", "install", "--quiet", release], { stdio: "ignore" });
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

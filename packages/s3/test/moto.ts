import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { machineCache } from "./machine-cache.ts";

const version = "5.2.5";
const folder = join(machineCache, `moto-${version}`);
const command = join(folder, "bin", "moto_server");

/** Returns true if the machine has moto, or Python to install it. */
export function hasMoto(): boolean {
  if (existsSync(command)) return true;
  try {
    execFileSync("python3", ["-m", "venv", "--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of moto, which stores objects in memory. It checks neither signatures nor expiry, so it only stands in
 * for a storage where versitygw cannot be built.
 */
export function moto(): string {
  if (existsSync(command)) return command;
  try {
    execFileSync("python3", ["-m", "venv", folder], { stdio: "ignore" });
    execFileSync(join(folder, "bin", "pip"), ["install", "--quiet", `moto[server]==${version}`], { stdio: "ignore" });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return command;
}

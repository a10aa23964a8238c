import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the packages of a folder that only one benchmark needs, once. Returns npm's message if it fails.
 */
export function installed(folder: string): string | undefined {
  if (existsSync(join(folder, "node_modules/.package-lock.json"))) return undefined;
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n")[0]);
}

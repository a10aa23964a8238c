import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Installs the mocks of this folder into it, once. What npm says where it cannot; undefined where they are there. */
export function installOthers(): string | undefined {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return undefined;
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n")[0]);
}

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, tool } from "./tree.ts";

/** Package of the generator, apart from the workspace: `npm install` of the repository leaves its 260 packages out. */
export const generatorFolder = join(tool, "generator");

export const libraryFolder = join(generatorFolder, "node_modules");

/**
 * Installs the libraries of the generator in the versions of its lock file, without scripts. Takes them from the store of pnpm if
 * it has them, without a network.
 * @throws {Error} if a library is missing and cannot be downloaded
 */
export function installLibraries(): void {
  const bootstrap = join(root, "tools/bootstrap/bootstrap.mjs");
  const args = ["--dir", generatorFolder, "install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [bootstrap, "pnpm", ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 300_000,
  });
  if (status !== 0 || !existsSync(join(libraryFolder, "astro")))
    throw new Error(`Cannot install the libraries of tools/site/generator; check the network:\n${stdout}${stderr}`);
}

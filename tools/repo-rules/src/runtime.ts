import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./packed.ts";

/** JavaScript runtime of one version, npm packages that may have its binary for this machine, and its arguments. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly string[];
  readonly binary: string;
  readonly args?: readonly string[];
}

export function nodeRuntime(version: string): Runtime {
  const platform = `${process.platform}-${process.arch}`;
  return { name: "Node", version, packages: [`node-${platform}`, `node-bin-${platform}`], binary: "bin/node" };
}

/**
 * Returns the binary of the runtime: of this process if it has the version, else installed below the folder. Returns
 * undefined if the registry has no package of it for this machine.
 */
export function binaryOf({ name, version, packages, binary }: Runtime, folder: string): string | undefined {
  if (name === "Node" && process.version.startsWith(`v${version}.`)) return process.execPath;
  for (const one of packages) {
    const path = installed(one, version, binary, folder);
    if (path !== undefined) return path;
  }
  return undefined;
}

function installed(name: string, version: string, binary: string, folder: string): string | undefined {
  const project = join(folder, `runtime-${name.replace(/\W+/g, "-")}-${version}`);
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), "{}");
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { status } = run("npm", ["install", ...quiet, `${name}@${version}`], project);
  const path = join(project, "node_modules", name, binary);
  return status === 0 && existsSync(path) ? path : undefined;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Package in a project, from npm's `package-lock.json`. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  /** Message of the authors, if they advise against the version. */
  readonly deprecated?: string;
}

/** Returns the packages that npm has installed in a project, each version once. */
export function installedIn(project: string): Installed[] {
  const { packages }: { packages: Record<string, Omit<Installed, "name">> } = JSON.parse(
    readFileSync(join(project, "package-lock.json"), "utf8"),
  );
  const all = Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, entry]) => ({ ...entry, name: path.split("node_modules/").at(-1) ?? "" }));
  return [...new Map(all.map((each) => [`${each.name}@${each.version}`, each])).values()];
}

import type { PackedPackage } from "./packed-package.ts";

/** File with the names, versions and licences of the packages whose code a build has bundled. */
export const LICENCES_FILE = "dist/licenses.md";

/** Package whose code is a part of the files of another package. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
}

/** Returns the packages that the list of licences of a package names. */
export function bundledLicences({ files, text }: PackedPackage): Bundled[] {
  const list = files.includes(LICENCES_FILE) ? text(LICENCES_FILE) : "";
  return [...list.matchAll(/^## (\S+) - (\S+)(?: \((.+)\))?$/gm)].map(([, name = "", version = "", license]) => ({
    name,
    version,
    license,
  }));
}

/** Returns the packages whose sources the source maps of a package name. */
export function bundledSources({ files, text }: PackedPackage): Bundled[] {
  const maps = files.filter((file) => file.endsWith(".js.map"));
  const sources = maps.flatMap((file) => JSON.parse(text(file)).sources as readonly string[]);
  const found = new Map<string, Bundled>();
  for (const source of sources) {
    const [, folder = "", name = ""] =
      /node_modules\/\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
    const version = /^@?[^@]+@([^(_]+)/.exec(folder)?.[1];
    if (version !== undefined) found.set(`${name}@${version}`, { name, version });
  }
  return [...found.values()];
}

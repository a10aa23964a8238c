import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SourceConfiguration } from "@quern/adapter";
import { readManifest } from "./manifest.ts";

const provider = "quern";
const fileEnding = ".duckdb";

/**
 * Returns the sources of a data directory: each file `sources/<name>.duckdb` whose name the engine does not reserve,
 * and each directory `sources/<name>` that `quern sources` has created, in the order of their names. The source
 * `samples` is the default if it exists, or else the first one. Without any source, statements run on the source
 * `none`, which has no data.
 */
export function dataDirectorySources(dataDir: string): SourceConfiguration[] {
  const directory = join(dataDir, "sources");
  const found = new Map<string, Pick<SourceConfiguration, "path" | "runAs">>();
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith(".")) continue;
    // A directory replaces a file of the same name.
    const manifest = entry.isDirectory() ? readManifest(path) : undefined;
    if (manifest !== undefined) found.set(entry.name, { path, runAs: manifest.runAs ?? "fixed" });
    else if (entry.name.endsWith(fileEnding)) {
      const name = entry.name.slice(0, -fileEnding.length);
      if (!found.has(name) && !isEngineCatalog(name)) found.set(name, { path });
    }
  }
  if (found.size === 0) return [{ name: "none", provider }];
  return [...found.keys()]
    .sort()
    .map((name) => ({ name, provider, ...found.get(name), isDefault: name === "samples" }));
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

const names: ReadonlySet<string> = new Set(["memory", "system", "temp"]);

/** Returns true for the names of the engine's own catalogs, which a source or a catalog cannot have. */
export function isEngineCatalog(name: string): boolean {
  return names.has(name.toLowerCase());
}

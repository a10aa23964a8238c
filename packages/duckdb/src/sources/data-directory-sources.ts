import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SourceConfiguration } from "@quern/adapter";
import { engineSourceEnding, readEngineSource } from "./engine-source.ts";
import { readManifest } from "./manifest.ts";
import { type FoundSource, toConfigurations } from "./source-list.ts";

const fileEnding = ".duckdb";

/**
 * Returns the sources of a data directory: each file `sources/<name>.duckdb` whose name the engine does not reserve,
 * and each directory `sources/<name>` or file `sources/<name>.json` that `quern sources` has created.
 */
export function dataDirectorySources(dataDir: string): SourceConfiguration[] {
  const directory = join(dataDir, "sources");
  const found = new Map<string, FoundSource>();
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith(".")) continue;
    // A directory replaces a file of the same name.
    const manifest = entry.isDirectory() ? readManifest(path) : undefined;
    if (manifest !== undefined) found.set(entry.name, { path, runAs: manifest.runAs ?? "fixed" });
    else if (entry.name.endsWith(engineSourceEnding)) {
      const name = entry.name.slice(0, -engineSourceEnding.length);
      const source = readEngineSource(path);
      if (source !== undefined && !found.has(name)) found.set(name, source);
    } else if (entry.name.endsWith(fileEnding)) {
      const name = entry.name.slice(0, -fileEnding.length);
      if (!found.has(name) && !isEngineCatalog(name)) found.set(name, { path });
    }
  }
  return toConfigurations(found);
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

/** Returns a source, or all sources, of other engines than DuckDB in a data directory. */
export function engineSourcesOf(dataDir: string, source?: string): readonly SourceConfiguration[] {
  return dataDirectorySources(dataDir).filter(
    ({ name, kind = "duckdb" }) => kind !== "duckdb" && (source === undefined || source === name),
  );
}

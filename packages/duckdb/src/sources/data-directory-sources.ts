import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SourceConfiguration } from "@quern/adapter";
import { readManifest } from "./manifest.ts";

const provider = "quern";
const fileEnding = ".duckdb";

/**
 * The sources that lie in a data directory: each `sources/<name>.duckdb`, and each folder `sources/<name>` that
 * `quern sources` has made, is the source `<name>` of the provider `quern`; `samples` is the default. Where there is none,
 * statements run on no data, as source `none`.
 */
export function dataDirectorySources(dataDir: string): SourceConfiguration[] {
  const directory = join(dataDir, "sources");
  const found = new Map<string, Pick<SourceConfiguration, "path" | "runAs">>();
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith(".")) continue;
    // Files first: a folder of the same name replaces them, as the newer way to keep a source.
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

/** The engine has catalogs of its own, whose names no data can have. */
export function isEngineCatalog(name: string): boolean {
  return names.has(name.toLowerCase());
}

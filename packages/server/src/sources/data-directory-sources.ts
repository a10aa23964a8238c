import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "./manifest.ts";
import type { SourceConfiguration } from "./source.ts";

const provider = "quern";
const fileEnding = ".duckdb";

/**
 * The sources that lie in a data directory: each `sources/<name>.duckdb`, and each folder `sources/<name>` that
 * `quern sources` has made, is the source `<name>` of the provider `quern`; `samples` is the default. Where there is none,
 * statements run on no data, as source `none`.
 */
export function dataDirectorySources(dataDir: string): SourceConfiguration[] {
  const directory = join(dataDir, "sources");
  const paths = new Map<string, string>();
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    // Files first: a folder of the same name replaces them, as the newer way to keep a source.
    if (entry.isDirectory() && readManifest(path) !== undefined) paths.set(entry.name, path);
    else if (entry.name.endsWith(fileEnding)) {
      const name = entry.name.slice(0, -fileEnding.length);
      if (!paths.has(name)) paths.set(name, path);
    }
  }
  if (paths.size === 0) return [{ name: "none", provider }];
  return [...paths.keys()].sort().map((name) => ({
    name,
    provider,
    path: paths.get(name) ?? directory,
    isDefault: name === "samples",
  }));
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

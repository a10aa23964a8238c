import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SourceConfiguration } from "./source.ts";

const provider = "quern";

/**
 * The sources that lie in a data directory: each `sources/<name>.duckdb` is the source `<name>` of the provider
 * `quern`, `samples` the default. Where there is none, statements run on no data, as source `none`.
 */
export function dataDirectorySources(dataDir: string): SourceConfiguration[] {
  const directory = join(dataDir, "sources");
  const names = fileNames(directory)
    .filter((file) => file.endsWith(".duckdb"))
    .map((file) => file.slice(0, -".duckdb".length))
    .sort();
  if (names.length === 0) return [{ name: "none", provider }];
  return names.map((name) => ({
    name,
    provider,
    path: join(directory, `${name}.duckdb`),
    isDefault: name === "samples",
  }));
}

function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

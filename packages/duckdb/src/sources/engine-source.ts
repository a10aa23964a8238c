import { readFileSync } from "node:fs";
import { chmod, open, rename, rm } from "node:fs/promises";
import type { SourceConfiguration } from "@quern/adapter";

/** Configuration of a source of another engine, which is queried in place. `password` is the place of one. */
export type EngineSource = Pick<SourceConfiguration, "address" | "path" | "password" | "runAs" | "tenant"> & {
  readonly kind: string;
};

/** Ending of the files with a source of another engine: `sources/<name>.json`. */
export const engineSourceEnding = ".json";

/** Reads the file of a source; undefined if it does not exist or is no configuration of a source. */
export function readEngineSource(path: string): EngineSource | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("kind" in value) || typeof value.kind !== "string")
    return undefined;
  return value as EngineSource; // `writeEngineSource` makes these files
}

/** Replaces the file of a source atomically. */
export async function writeEngineSource(path: string, source: EngineSource): Promise<void> {
  const unfinished = `${path}.tmp`;
  const file = await open(unfinished, "w");
  try {
    await file.writeFile(`${JSON.stringify(source, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // The service may have another user than the command; the directory of all sources is closed to others.
  await chmod(unfinished, 0o644);
  await rename(unfinished, path);
}

/** Removes the file of a source. Returns false if there is none. */
export async function removeEngineSource(path: string): Promise<boolean> {
  if (readEngineSource(path) === undefined) return false;
  await rm(path);
  return true;
}

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RunAs } from "@quern/adapter";
import type { TableLoad } from "./origin.ts";

/** Present version of a loaded source. The file is replaced as a whole, which switches the version in one step. */
export interface SourceManifest {
  /** Unique, also among later sources of the same name. */
  readonly version: string;
  readonly catalogs: readonly CatalogFile[];
  /** Origins of the tables, from which they can be loaded again. */
  readonly loads: readonly TableLoad[];
  /** @default "fixed" */
  readonly runAs?: RunAs | undefined;
}

interface CatalogFile {
  readonly name: string;
  /** Name of a DuckDB file in the directory of the source. The file is never changed. */
  readonly file: string;
}

const manifestName = "current.json";

/** Returns the manifest of a directory; undefined if the directory has no loaded source. */
export function readManifest(folder: string): SourceManifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestName), "utf8");
  } catch {
    return undefined;
  }
  return JSON.parse(text) as SourceManifest; // only `writeManifest` makes these files
}

/** Replaces the manifest atomically: a reader gets the old one or the new one. */
export async function writeManifest(folder: string, manifest: SourceManifest): Promise<void> {
  const unfinished = join(folder, `${manifestName}.tmp`);
  const file = await open(unfinished, "w");
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.chmod(0o644); // as the files that it names
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, manifestName));
}

/** Returns the next version: the number of the present version plus one, and a random suffix. */
export function nextVersion(before: Pick<SourceManifest, "version"> | undefined): string {
  const number = Number.parseInt(before?.version ?? "0", 10) + 1;
  return `${number}-${randomBytes(4).toString("hex")}`;
}

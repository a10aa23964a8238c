import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RunAs } from "@quern/adapter";
import type { TableLoad } from "./origin.ts";

/** What the folder of a loaded source holds at present. It is replaced as a whole, which is what switches a version. */
export interface SourceManifest {
  /** Never used twice, also not by a source of the same name that is made later. */
  readonly version: string;
  readonly catalogs: readonly CatalogFile[];
  /** Where the tables came from, so that they can be loaded again. */
  readonly loads: readonly TableLoad[];
  /** `fixed` where left out. */
  readonly runAs?: RunAs | undefined;
}

interface CatalogFile {
  readonly name: string;
  /** A DuckDB file in the folder, written once and never changed. */
  readonly file: string;
}

const manifestName = "current.json";

/** Undefined where the folder holds no loaded source. */
export function readManifest(folder: string): SourceManifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestName), "utf8");
  } catch {
    return undefined;
  }
  return JSON.parse(text) as SourceManifest; // only `writeManifest` makes these files
}

/** Replaces the manifest at once: a reader sees the old one or the new one. */
export async function writeManifest(folder: string, manifest: SourceManifest): Promise<void> {
  const unfinished = join(folder, `${manifestName}.tmp`);
  const file = await open(unfinished, "w");
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, manifestName));
}

export function nextVersion(before: SourceManifest | undefined): string {
  const number = Number.parseInt(before?.version ?? "0", 10) + 1;
  return `${number}-${randomBytes(4).toString("hex")}`;
}

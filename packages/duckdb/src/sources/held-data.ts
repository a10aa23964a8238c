import { randomUUID } from "node:crypto";
import { link, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { HeldData, Source } from "@quern/adapter";
import { readManifest, type SourceManifest } from "./manifest.ts";

/** A DuckDB file as statements see it: a catalog, which qualifies its tables as `name.schema.table`. */
export interface Database {
  readonly name: string;
  readonly path: string;
}

/** Files of a source, which stay as they are until they are released. */
export interface HeldDatabases extends HeldData {
  /** The first is the one that names without a catalog mean. */
  readonly databases: readonly Database[];
}

/** Differs whenever the data of a source does. */
export async function revisionOf({ path }: Source): Promise<string> {
  if (path === null) return "none";
  const manifest = readManifest(path);
  if (manifest !== undefined) return manifest.version;
  // A missing file is a revision of its own; the run on it says what is wrong.
  const file = await stat(path, { bigint: true }).catch(() => undefined);
  return file === undefined ? "missing" : `${file.ino}-${file.size}-${file.mtimeNs}`;
}

/** Each time the manifest names files that are gone, a load has just replaced it; this many at once do not happen. */
const maxSwitches = 20;

/**
 * Holds what a source has now. The files of a loaded source get a second name in `linkDirectory`: whoever loads it anew
 * removes the first, and the data goes with the last.
 */
export async function holdData(source: Source, linkDirectory: string): Promise<HeldDatabases> {
  const { name, path } = source;
  if (path === null) return unheld("none", []);
  for (let attempt = 0; attempt < maxSwitches; attempt += 1) {
    const manifest = readManifest(path);
    if (manifest === undefined) return unheld(await revisionOf(source), [{ name, path }]);
    const held = await linkFiles(source, path, manifest, linkDirectory);
    if (held !== undefined) return held;
  }
  throw new Error(`the files of the data source ${name} are missing`);
}

function unheld(revision: string, databases: readonly Database[]): HeldDatabases {
  return { revision, databases, release: async () => {} };
}

async function linkFiles(
  { name }: Source,
  folder: string,
  { version, catalogs }: SourceManifest,
  linkDirectory: string,
): Promise<HeldDatabases | undefined> {
  const links = join(linkDirectory, `${name}-${randomUUID()}`);
  const release = () => rm(links, { recursive: true, force: true });
  await mkdir(links, { recursive: true });
  const databases: Database[] = [];
  for (const catalog of catalogs) {
    const file = join(folder, catalog.file);
    const linked = join(links, catalog.file);
    try {
      await link(file, linked);
      databases.push({ name: catalog.name, path: linked });
    } catch (error) {
      if (isMissing(error)) return release().then(() => undefined);
      // Some file systems have no second names; there a load may fail a run that begins at the same moment.
      databases.push({ name: catalog.name, path: file });
    }
  }
  const first = databases.filter((database) => database.name === name);
  const others = databases.filter((database) => database.name !== name);
  return { revision: version, databases: [...first, ...others], release };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

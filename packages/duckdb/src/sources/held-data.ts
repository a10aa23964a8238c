import { randomUUID } from "node:crypto";
import { link, mkdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { HeldData, Source } from "@quern/adapter";
import { readManifest, type SourceManifest } from "./manifest.ts";

/** DuckDB file that statements read as a catalog: its tables are `name.schema.table`. */
export interface Database {
  readonly name: string;
  readonly path: string;
}

/** Files of a source. {@link holdData} says which of them stay unchanged until they are released. */
export interface HeldDatabases extends HeldData {
  /** Names without a catalog refer to the first database. */
  readonly databases: readonly Database[];
}

/** Returns a text that changes whenever the data of a source changes. */
export async function revisionOf({ path }: Source): Promise<string> {
  if (path === null) return "none";
  const manifest = readManifest(path);
  if (manifest !== undefined) return manifest.version;
  // A missing file has a revision, too: the run then fails with the engine's message.
  const file = await stat(path, { bigint: true }).catch(() => undefined);
  return file === undefined ? "missing" : `${file.ino}-${file.size}-${file.mtimeNs}`;
}

/** Maximum number of attempts to link the files. A load may remove them after the manifest was read. */
const maxAttempts = 20;

/**
 * Returns the present files of a source. For a source that `quern sources` has loaded they are hard links in
 * `linkDirectory`, which stay until they are released, even if a load removes the files of the source meanwhile. A file
 * that the operator has put into the data directory is returned as it is, and has no such protection; neither have
 * files on a file system without hard links.
 * @throws {Error} if files of a loaded source are missing
 */
export async function holdData(source: Source, linkDirectory: string): Promise<HeldDatabases> {
  const { name, path } = source;
  if (path === null) return unheld("none", []);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const manifest = readManifest(path);
    if (manifest === undefined) return unheld(await revisionOf(source), [{ name, path }]);
    const held = await linkFiles(source, path, manifest, linkDirectory);
    if (held !== undefined) return held;
  }
  throw new Error(
    `Missing files of the data source: ${name}; remove the source with \`quern sources remove ${basename(path)}\`, and add it again.`,
  );
}

/** Returns files that a load or the operator may remove before they are released. */
export function unheld(revision: string, databases: readonly Database[]): HeldDatabases {
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
      // The file system has no hard links. A run then fails if a load removes the file before the run has opened it.
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

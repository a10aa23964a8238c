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

/** Files of a source. {@link LinkedSources} says which of them stay unchanged until they are released. */
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

/**
 * Gives statements the present files of sources. For a source that `quern sources` has loaded they are hard links, which
 * stay until they are released, even if a load removes the files of the source meanwhile. Statements on one revision share
 * its links. A file that the operator has put into the data directory is returned as it is, and has no such protection;
 * neither have files on a file system without hard links.
 */
export interface LinkedSources {
  /** @throws {Error} if files of a loaded source are missing */
  hold(source: Source): Promise<HeldDatabases>;
  /** Removes the links that no statement uses. */
  close(): Promise<void>;
}

/** Links to the files of one revision of a source. */
interface RevisionLinks {
  readonly version: string;
  readonly files: Promise<LinkedFiles | undefined>;
  /** Number of statements that use the links. */
  uses: number;
  /** Removes the links some time after their last use. */
  timer?: NodeJS.Timeout | undefined;
}

interface LinkedFiles {
  readonly databases: readonly Database[];
  remove(): Promise<void>;
}

/** Maximum number of attempts to link the files. A load may remove them after the manifest was read. */
const maxAttempts = 20;

/** Time for which unused links stay, in milliseconds. To make and remove them takes as long as a small statement. */
const unusedMs = 1_000;

/** @param linkDirectory directory of the links, on the file system of the sources */
export function createLinkedSources(linkDirectory: string): LinkedSources {
  /** Links of the present revision of each source, by the folder of the source. */
  const present = new Map<string, RevisionLinks>();

  function linksOf(source: Source, folder: string, manifest: SourceManifest): RevisionLinks {
    const found = present.get(folder);
    if (found?.version === manifest.version) return found;
    const files = linkFiles(source, folder, manifest, linkDirectory);
    const links: RevisionLinks = { version: manifest.version, files, uses: 0 };
    present.set(folder, links);
    if (found !== undefined) removeUnused(folder, found).catch(() => {}); // a start of the service removes what stays
    return links;
  }

  async function removeUnused(folder: string, links: RevisionLinks): Promise<void> {
    clearTimeout(links.timer);
    links.timer = undefined;
    if (links.uses > 0) return;
    if (present.get(folder) === links) present.delete(folder);
    await (await links.files)?.remove();
  }

  /** Returns a function that ends one use of links. A second call does nothing, so that it ends no other use. */
  function releaseOnce(folder: string, links: RevisionLinks): () => Promise<void> {
    let isReleased = false;
    return async () => {
      if (isReleased) return;
      isReleased = true;
      links.uses -= 1;
      if (present.get(folder) !== links) return removeUnused(folder, links);
      links.timer ??= setTimeout(() => void removeUnused(folder, links).catch(() => {}), unusedMs).unref();
    };
  }

  /** Lets the next statement link the files again. */
  function forget(folder: string, links: RevisionLinks): void {
    if (present.get(folder) === links) present.delete(folder);
  }

  return {
    async hold(source) {
      const { name, path } = source;
      if (path === null) return unheld("none", []);
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const manifest = readManifest(path);
        if (manifest === undefined) return unheld(await revisionOf(source), [{ name, path }]);
        const links = linksOf(source, path, manifest);
        links.uses += 1;
        try {
          const files = await links.files;
          if (files !== undefined)
            return { revision: manifest.version, databases: files.databases, release: releaseOnce(path, links) };
        } catch (error) {
          forget(path, links);
          throw error;
        }
        forget(path, links);
      }
      throw new Error(
        `Missing files of the data source: ${name}; remove the source with \`quern sources remove ${basename(path)}\`, and add it again.`,
      );
    },
    async close() {
      await Promise.allSettled([...present].map(([folder, links]) => removeUnused(folder, links)));
    },
  };
}

/** Returns files that a load or the operator may remove before they are released. */
export function unheld(revision: string, databases: readonly Database[]): HeldDatabases {
  return { revision, databases, release: async () => {} };
}

/** Returns undefined if a load has removed files since the manifest was read. */
async function linkFiles(
  { name }: Source,
  folder: string,
  { catalogs }: SourceManifest,
  linkDirectory: string,
): Promise<LinkedFiles | undefined> {
  const links = join(linkDirectory, `${name}-${randomUUID()}`);
  const remove = () => rm(links, { recursive: true, force: true });
  await mkdir(links, { recursive: true });
  const databases: Database[] = [];
  for (const catalog of catalogs) {
    const file = join(folder, catalog.file);
    const linked = join(links, catalog.file);
    try {
      await link(file, linked);
      databases.push({ name: catalog.name, path: linked });
    } catch (error) {
      if (isMissing(error)) return remove().then(() => undefined);
      // The file system has no hard links. A run then fails if a load removes the file before the run has opened it.
      databases.push({ name: catalog.name, path: file });
    }
  }
  const first = databases.filter((database) => database.name === name);
  const others = databases.filter((database) => database.name !== name);
  return { databases: [...first, ...others], remove };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

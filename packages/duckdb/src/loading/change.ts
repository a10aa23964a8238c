import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunAs } from "@quern/adapter";
import { nextVersion, readManifest, type SourceManifest, writeManifest } from "../sources/manifest.ts";
import { SourceError, type TableLoad } from "../sources/origin.ts";
import { attached, type Target, withEngine } from "./engine.ts";

/** A new version of a source while it is made; nobody sees it before it is complete. */
export interface Draft {
  /** What the version before it has. */
  readonly loads: readonly TableLoad[];
  /** Changes a catalog, a copy of which is made first unless it is to begin empty. */
  change(catalog: string, how: "copied" | "empty", work: (target: Target) => Promise<void>): Promise<void>;
  removeCatalog(catalog: string): void;
}

/**
 * Makes a new version of a source and switches to it at once; what fails leaves the version before. Files of earlier
 * versions go: whoever reads one holds it by another name.
 * @param runAs from now on; as before where left out
 * @throws {SourceError} also when another process is changing the source
 */
export async function changeSource(
  folder: string,
  make: (draft: Draft) => Promise<readonly TableLoad[]>,
  runAs?: RunAs,
): Promise<SourceManifest> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 }); // the data is nobody else's on the machine
  const lock = takeLock(folder);
  try {
    await mkdir(folder, { recursive: true });
    const before = readManifest(folder);
    const version = nextVersion(before);
    const workDirectory = await mkdtemp(join(folder, "loading-"));
    try {
      const catalogs = new Map((before?.catalogs ?? []).map(({ name, file }) => [name, file]));
      const draft = toDraft({ folder, workDirectory, version, catalogs, loads: before?.loads ?? [] });
      const loads = await make(draft);
      const files = [...catalogs].map(([name, file]) => ({ name, file }));
      const after = { version, catalogs: files, loads, runAs: runAs ?? before?.runAs };
      await writeManifest(folder, after);
      return after;
    } finally {
      await rm(workDirectory, { recursive: true, force: true });
      await removeUnused(folder);
    }
  } finally {
    // A folder that was made for a source whose first load fails goes with it.
    if (readManifest(folder) === undefined) await removeFolder(folder).catch(() => {});
    await finishRemovals(dirname(folder)).catch(() => {});
    lock.close();
  }
}

/** @throws {SourceError} when another process is changing the source */
export async function removeSource(folder: string): Promise<void> {
  const lock = takeLock(folder);
  try {
    await removeFolder(folder);
  } finally {
    lock.close();
  }
}

interface DraftParts {
  readonly folder: string;
  readonly workDirectory: string;
  readonly version: string;
  readonly catalogs: Map<string, string>;
  readonly loads: readonly TableLoad[];
}

function toDraft({ folder, workDirectory, version, catalogs, loads }: DraftParts): Draft {
  /** The files of this version have its name, and where there are several, a number. */
  const newFile = (): string => {
    const taken = [...catalogs.values()].filter((file) => file.startsWith(`${version}.`)).length;
    return taken === 0 ? `${version}.duckdb` : `${version}.${taken + 1}.duckdb`;
  };
  return {
    loads,
    async change(catalog, how, work) {
      const before = catalogs.get(catalog);
      const file = before?.startsWith(`${version}.`) ? before : newFile();
      const path = join(folder, file);
      if (how === "empty") await rm(path, { force: true });
      else if (before !== undefined && before !== file)
        await copyFile(join(folder, before), path, constants.COPYFILE_FICLONE);
      await withEngine(join(workDirectory, "spill"), (connection) =>
        attached(connection, path, catalog, "READ_WRITE", () => work({ connection, catalog, workDirectory })),
      );
      await flush(path);
      catalogs.set(catalog, file);
    },
    removeCatalog: (catalog) => void catalogs.delete(catalog),
  };
}

/**
 * A lock of the operating system on an empty database, so that it ends with its process however that ends. It lies beside
 * the folder, which it outlives: a lock that is removed can be had twice.
 */
function takeLock(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(dirname(folder), `.${basename(folder)}.lock`), { timeout: 0 });
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return lock;
  } catch {
    lock.close();
    throw new SourceError(`another process is loading into ${folder}; try again when it is done`);
  }
}

/** Removes what no version has: files of the one before, and what a process that was killed left. */
async function removeUnused(folder: string): Promise<void> {
  const manifest = readManifest(folder);
  const used = new Set(manifest?.catalogs.map(({ file }) => file));
  for (const name of await readdir(folder)) {
    const isData = /\.duckdb(\.wal)?$/.test(name) || name.startsWith("loading-");
    // Where a file that is read cannot lose its name, the next load removes it.
    if (isData && !used.has(name)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** No source is named so. */
const prefix = ".removed-";

/** Takes the folder of a source away: at once for those who look for it, then for the disk. */
export async function removeFolder(folder: string): Promise<void> {
  const removed = join(dirname(folder), `${prefix}${randomUUID()}`);
  await rename(folder, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Ends removals whose processes were killed. */
export async function finishRemovals(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(prefix)) await rm(join(directory, name), { recursive: true, force: true });
}

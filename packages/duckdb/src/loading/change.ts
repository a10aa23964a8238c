import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lchown, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunAs } from "@quern/adapter";
import { nextVersion, readManifest, type SourceManifest, writeManifest } from "../sources/manifest.ts";
import { SourceError, type TableLoad } from "../sources/origin.ts";
import { createDraft, type Draft } from "./draft.ts";
import { makeDirectory } from "./make-directory.ts";

/**
 * Creates a new version of a source and switches to it in one step. After a failure the present version stays. Files of
 * earlier versions are removed; a statement that reads one has a hard link to it, if the file system has hard links.
 * @param runAs Identity under which statements run. @default the present setting
 * @throws {SourceError} if another process changes the source, and for errors of the engine
 * @throws the error of `make`
 */
export async function changeSource(
  folder: string,
  make: (draft: Draft) => Promise<readonly TableLoad[]>,
  runAs?: RunAs,
): Promise<SourceManifest> {
  await makeSources(dirname(folder));
  const lock = takeLock(folder);
  try {
    const made = await mkdir(folder, { recursive: true });
    // The service may have another user than the command; the directory of all sources is closed to others.
    if (made !== undefined) await chmod(folder, 0o755);
    const before = readManifest(folder);
    const version = nextVersion(before);
    const workDirectory = await mkdtemp(join(folder, "loading-"));
    try {
      const catalogs = new Map((before?.catalogs ?? []).map(({ name, file }) => [name, file]));
      const draft = createDraft({
        folder,
        workDirectory,
        version,
        catalogs,
        loads: before?.loads ?? [],
        copyPresent: (file, path) => copyPresent(join(folder, file), path),
      });
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
    // The directory of a new source is removed if its first load fails.
    if (readManifest(folder) === undefined) await removeFolder(folder).catch(() => {});
    await finishRemovals(dirname(folder)).catch(() => {});
    lock.close();
  }
}

/** Makes the directory of all sources. One that root makes has the owner of the data directory: the service must list it. */
export async function makeSources(path: string): Promise<void> {
  // Other users of the machine must not read the data.
  const isNew = makeDirectory(path, 0o700);
  if (!isNew || process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await lchown(path, uid, gid).catch(() => {}); // root without the capability, as in some containers
}

/** Removes a source with all of its tables. @throws {SourceError} if another process changes the source */
export async function removeSource(folder: string): Promise<void> {
  const lock = takeLock(folder);
  try {
    await removeFolder(folder);
  } finally {
    lock.close();
  }
}

/** Copies a file of the present version. @throws {SourceError} if it is missing */
async function copyPresent(file: string, path: string): Promise<void> {
  try {
    await copyFile(file, path, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    const remove = `quern sources remove ${basename(dirname(file))}`;
    throw new SourceError(
      `Missing file of the source: ${file}; remove the source with \`${remove}\`, and add it again`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Takes the lock of a source: SQLite's lock on an empty database, which the operating system releases when the process
 * ends. The lock file is outside the directory of the source and is never removed, because two processes could lock a
 * removed and a new file at the same time.
 * @throws {SourceError} if another process has the lock, or if the lock file is damaged or cannot be opened
 */
function takeLock(folder: string): DatabaseSync {
  const path = join(dirname(folder), `.${basename(folder)}.lock`);
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    throw new SourceError(lockText(folder, path, error), { cause: error });
  }
}

/** Primary result code SQLITE_BUSY. */
const sqliteBusy = 5;

function lockText(folder: string, path: string, error: unknown): string {
  const { errcode = 0, message } = error as Error & { readonly errcode?: number }; // SQLite throws no other errors
  // The lowest byte of an extended result code is its primary code.
  return (errcode & 0xff) === sqliteBusy
    ? `Source in use: another process changes ${folder}; try again when it has ended`
    : `Source that cannot be locked: ${folder}: ${message}; check the lock file ${path}, which must be empty and writable`;
}

/** Removes files that the present version does not have: those of earlier versions, and those of killed processes. */
async function removeUnused(folder: string): Promise<void> {
  const manifest = readManifest(folder);
  const used = new Set(manifest?.catalogs.map(({ file }) => file));
  for (const name of await readdir(folder)) {
    const isData = /\.duckdb(\.wal)?$/.test(name) || name.startsWith("loading-");
    // On Windows a file in use cannot be removed. The next load removes it.
    if (isData && !used.has(name)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Prefix of removed directories. No source name begins with a dot. */
const removedPrefix = ".removed-";

/** Removes the directory of a source. It is renamed first, so that the source disappears in one step. */
async function removeFolder(folder: string): Promise<void> {
  const removed = join(dirname(folder), `${removedPrefix}${randomUUID()}`);
  await rename(folder, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Finishes removals of processes that were killed. */
async function finishRemovals(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(removedPrefix)) await rm(join(directory, name), { recursive: true, force: true });
}

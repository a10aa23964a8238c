import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDirectory } from "@quern/duckdb";
import { isBusy } from "./sqlite-busy.ts";

/** Permissions of a new directory: only its owner can read statements, parameters and results. */
export const ownerOnly = { recursive: true, mode: 0o700 } as const;

/** Creates a data directory if it does not exist. @throws with the reason, if it cannot be created */
export function makeDataDirectory(root: string): void {
  try {
    makeDirectory(root, ownerOnly.mode);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `The data directory ${root} cannot be created: ${reason}; name another one, or create it as a directory of this user.`,
      { cause: error },
    );
  }
}

/** Paths in a data directory that this server has locked. One server at a time can lock it. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly results: string;
  /** Directory of uploaded files, if no other storage has them. */
  readonly uploads: string;
  /** Directory of derived files such as sorted copies of results. It may be removed while no server runs. */
  readonly cache: string;
  /** Creates the directory of local copies of results in a bucket, which may be removed while no server runs. */
  resultCache(): string;
  /** Creates the directory of local copies of data sources in a bucket, which may be removed while no server runs. */
  sourceCache(): string;
  /** Directory of temporary files. It is empty when the server starts, and removed when the server stops. */
  readonly work: string;
  /** Removes the temporary files and unlocks the directory. */
  release(): void;
}

/**
 * Locks a data directory, and creates it if it does not exist. The lock is an exclusive transaction on an empty SQLite
 * database, so that the operating system releases it when the process ends for any reason.
 * @throws if another server has locked it, or if it cannot be locked
 */
export function lockDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  makeDataDirectory(root);
  const pidFile = join(root, "server.pid");
  let opened: DatabaseSync | undefined;
  try {
    opened = new DatabaseSync(join(root, "server.lock"), { timeout: 0 });
    opened.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    opened?.close();
    throw new Error(isBusy(error) ? inUse(root, readOwner(pidFile)) : notLocked(root, error), { cause: error });
  }
  const lock = opened;
  writeFileSync(pidFile, String(process.pid));
  const work = join(root, "work");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, ownerOnly);
  return {
    path: root,
    database: join(root, "quern.db"),
    results: join(root, "results"),
    uploads: join(root, "uploads"),
    cache: join(root, "cache"),
    work,
    resultCache: () => made(join(root, "result-cache")),
    sourceCache: () => made(join(root, "source-cache")),
    release() {
      try {
        rmSync(work, { recursive: true, force: true });
        rmSync(pidFile, { force: true });
      } finally {
        lock.close();
      }
    },
  };
}

function made(path: string): string {
  mkdirSync(path, ownerOnly);
  return path;
}

export interface DirectoryReport {
  /**
   * False if every user of the machine can access the directory. True also if it does not exist, if this user cannot
   * access it, and on Windows, where permissions are not checked.
   */
  readonly isPrivate: boolean;
  /** True if the user of this process cannot read and write the directory. */
  readonly isDenied?: true;
  readonly meaning: string;
}

/** Reports whether this user, and users other than the owner and the group, can access a data directory. */
export async function examineDataDirectory(path: string): Promise<DirectoryReport> {
  const root = resolve(path);
  const entry = await stat(root).catch(() => undefined);
  const error = await access(root, constants.R_OK | constants.W_OK | constants.X_OK).catch(({ code }) => String(code));
  if (error === "EACCES")
    return {
      isPrivate: true,
      isDenied: true,
      meaning: `This user cannot read and write the data directory ${root}; run the command as the user of the service.`,
    };
  if (entry === undefined)
    return { isPrivate: true, meaning: `No data directory: ${root}; check the name. \`quern serve\` creates it.` };
  if (process.platform === "win32")
    return { isPrivate: true, meaning: "On Windows, the permissions of the data directory are not checked." };
  const mode = entry.mode & 0o777;
  if ((mode & 0o007) !== 0)
    return {
      isPrivate: false,
      meaning: `Every user of the machine can access the data directory (mode ${mode.toString(8)}); run chmod 700 ${root}`,
    };
  const group = (mode & 0o070) === 0 ? "" : " and its group";
  return { isPrivate: true, meaning: `Only its owner${group} can access the data directory.` };
}

function inUse(path: string, owner: string): string {
  return `The data directory ${path} is in use by another Quern server or command${owner}; stop it, or choose another directory.`;
}

function notLocked(path: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : error;
  return `The data directory ${path} cannot be locked: ${reason}; check its file server.lock, which must be empty and writable.`;
}

function readOwner(path: string): string {
  try {
    return ` (process ${readFileSync(path, "utf8")})`;
  } catch {
    return "";
  }
}

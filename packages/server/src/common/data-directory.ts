import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The texts of statements, their parameters and results are nobody else's on the machine. */
export const ownerOnly = { recursive: true, mode: 0o700 } as const;

/** A folder that one server at a time owns, and where its things lie. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly results: string;
  /** File in which earlier versions kept the secret of links to results. */
  readonly linkKey: string;
  /** For files that can be made again, such as sorted copies of results; it may be removed while no server runs. */
  readonly cache: string;
  /** For files that need not outlive the server; empty when it starts, and gone when it ends. */
  readonly work: string;
  release(): void;
}

/**
 * Takes a data directory. The lock is one of the operating system on an empty database, so it ends with the process
 * however that ends.
 * @throws when another server has it
 */
export function lockDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  mkdirSync(root, ownerOnly);
  const lock = new DatabaseSync(join(root, "server.lock"), { timeout: 0 });
  const owner = join(root, "server.pid");
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    throw new Error(inUse(root, readOwner(owner)), { cause: error });
  }
  writeFileSync(owner, String(process.pid));
  const work = join(root, "work");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, ownerOnly);
  return {
    path: root,
    database: join(root, "quern.db"),
    results: join(root, "results"),
    linkKey: join(root, "links.key"),
    cache: join(root, "cache"),
    work,
    release() {
      try {
        rmSync(work, { recursive: true, force: true });
        rmSync(owner, { force: true });
      } finally {
        lock.close();
      }
    },
  };
}

export interface DirectoryReport {
  readonly isPrivate: boolean;
  readonly meaning: string;
}

/** Who may look into a data directory. A group may, where the operator says so. */
export async function examineDataDirectory(path: string): Promise<DirectoryReport> {
  const root = resolve(path);
  const mode = await stat(root).then(
    (entry) => entry.mode & 0o777,
    () => ownerOnly.mode,
  );
  if (process.platform === "win32") return { isPrivate: true, meaning: "Windows keeps who may look into it." };
  const isPrivate = (mode & 0o007) === 0;
  return {
    isPrivate,
    meaning: isPrivate
      ? "Other users of the machine cannot look into it."
      : `Every user of the machine can look into it (mode ${mode.toString(8)}): chmod 700 ${root}`,
  };
}

function inUse(path: string, owner: string): string {
  return `The data directory ${path} is in use by another Quern server${owner}. Stop it, or choose another directory.`;
}

function readOwner(path: string): string {
  try {
    return ` (process ${readFileSync(path, "utf8")})`;
  } catch {
    return "";
  }
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A folder that one server at a time owns, and where its things lie. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly results: string;
  /** What the links to results are signed with. */
  readonly linkSecret: string;
  /** For files that need not outlive the server; empty when it starts. */
  readonly work: string;
  release(): void;
}

/**
 * Takes a data directory. The lock is one of the operating system on an empty database, so it ends with the process
 * however that ends.
 * @throws when another server has it
 */
export function takeDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  mkdirSync(root, { recursive: true });
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
  mkdirSync(work);
  return {
    path: root,
    database: join(root, "quern.db"),
    results: join(root, "results"),
    linkSecret: join(root, "links.key"),
    work,
    release() {
      rmSync(owner, { force: true });
      lock.close();
    },
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

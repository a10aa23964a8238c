import { accessSync, constants, linkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Suffixes of a database file, and of the files that an engine may have left beside it. */
const suffixes = ["", ".wal", ".wal.checkpoint", ".wal.recovery"];

/** Name of a database file that only this process has. */
export interface PrivateName {
  readonly path: string;
  /** Removes the name. An engine that has opened the file keeps it open. */
  remove(): void;
}

/**
 * Gives a database file a second name, a hard link in a directory of the process. The locked engine still lets a
 * statement change the files that it has opened and the files beside them, by the names under which it has opened them.
 * After the link is removed, that name leads to no file of the service. A file that the process cannot change keeps its
 * name, and so does a file on another file system.
 * @param folder Directory that the process has created, because others may not let it remove the link.
 */
export function privateName(path: string, folder: string, name: string): PrivateName {
  const kept = { path, remove: () => {} };
  // Windows does not remove the name of a file that is open.
  if (process.platform === "win32" || (!isWritable(path) && !isWritable(dirname(path)))) return kept;
  const link = join(folder, name);
  const made = suffixes.filter((suffix) => isLinked(path + suffix, link + suffix));
  const remove = () => {
    for (const suffix of made) rmSync(link + suffix, { force: true });
  };
  if (made.includes("")) return { path: link, remove };
  remove();
  return kept;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // another user, a read-only file system, or no file
  }
}

function isLinked(file: string, link: string): boolean {
  try {
    linkSync(file, link);
    return true;
  } catch {
    return false; // no such file, another file system, or Landlock, which then keeps statements from the file
  }
}

import { lchownSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Gives a file that root has created to the owner of its directory: the service may have another user than the command
 * that creates the file, and must write the file, too. Does nothing for other users. It does not follow a symbolic
 * link, because the owner of the directory chooses its target.
 */
export function giveToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  try {
    lchownSync(path, uid, gid);
  } catch {
    // Root without the capability, as in some containers, keeps the file: it can write it.
  }
}

import { randomUUID } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** No source is named so. */
const prefix = ".removed-";

/** Takes the folder of a source away: at once for those who look for it, then for the disk. */
export async function removeFolder(folder: string): Promise<void> {
  const removed = join(dirname(folder), `${prefix}${randomUUID()}`);
  await rename(folder, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Ends removals whose processes were killed. */
export async function removeLeftFolders(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(prefix)) await rm(join(directory, name), { recursive: true, force: true });
}

import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Largest number of sorted copies of one result. */
const maxCopiesPerResult = 8;

/** File of a sorted copy. */
interface Copy {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAtMs: number;
}

/**
 * Removes the oldest sorted copies: of each result beyond its largest number, and of all results beyond `maxBytes`.
 * @param directory Directory with one directory for each result.
 */
export async function evictSortedCopies(directory: string, maxBytes: number): Promise<void> {
  const folders = await readdir(directory);
  const byFolder = await Promise.all(folders.map((folder) => copiesIn(join(directory, folder))));
  const newestFirst = (copies: readonly Copy[]): Copy[] => copies.toSorted((a, b) => b.writtenAtMs - a.writtenAtMs);
  const tooMany = byFolder.flatMap((copies) => newestFirst(copies).slice(maxCopiesPerResult));
  let bytes = 0;
  const tooLarge = newestFirst(byFolder.flat().filter((copy) => !tooMany.includes(copy))).filter((copy) => {
    bytes += copy.bytes;
    return bytes > maxBytes;
  });
  for (const { path } of [...tooMany, ...tooLarge]) await rm(path, { force: true });
}

/** Removes the copies of results that no longer exist. @param exists called with the name of each result that has copies */
export async function sweepSortedCopies(
  directory: string,
  exists: (result: string) => Promise<boolean>,
): Promise<void> {
  if (!existsSync(directory)) return;
  for (const name of await readdir(directory))
    if (!(await exists(name))) await rm(join(directory, name), { recursive: true, force: true });
}

/** Returns the copies in a directory. One that is removed meanwhile is ignored. */
async function copiesIn(folder: string): Promise<readonly Copy[]> {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.flatMap((path, index) => {
    const found = stats[index];
    return found === undefined ? [] : [{ path, bytes: found.size, writtenAtMs: found.mtimeMs }];
  });
}

import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Of one result. */
const maxCopiesPerResult = 8;

interface Copy {
  readonly path: string;
  readonly bytes: number;
  readonly madeAt: number;
}

/** Removes the oldest sorted copies: those beyond the most that a result may have, and those beyond the bytes of all. */
export async function evictSortedCopies(directory: string, maxBytes: number): Promise<void> {
  const folders = await readdir(directory);
  const byFolder = await Promise.all(folders.map((folder) => copiesIn(join(directory, folder))));
  const newestFirst = (copies: readonly Copy[]): Copy[] => copies.toSorted((a, b) => b.madeAt - a.madeAt);
  const tooMany = byFolder.flatMap((copies) => newestFirst(copies).slice(maxCopiesPerResult));
  let bytes = 0;
  const tooLarge = newestFirst(byFolder.flat().filter((copy) => !tooMany.includes(copy))).filter((copy) => {
    bytes += copy.bytes;
    return bytes > maxBytes;
  });
  for (const { path } of [...tooMany, ...tooLarge]) await rm(path, { force: true });
}

/** Removes the folders of results that are not kept. A directory that nothing was written to yet has none. */
export async function sweepSortedCopies(
  directory: string,
  isKept: (result: string) => Promise<boolean>,
): Promise<void> {
  if (!existsSync(directory)) return;
  for (const name of await readdir(directory))
    if (!(await isKept(name))) await rm(join(directory, name), { recursive: true, force: true });
}

/** A folder or a file that goes meanwhile, with its result, is none. */
async function copiesIn(folder: string): Promise<readonly Copy[]> {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.flatMap((path, index) => {
    const found = stats[index];
    return found === undefined ? [] : [{ path, bytes: found.size, madeAt: found.mtimeMs }];
  });
}

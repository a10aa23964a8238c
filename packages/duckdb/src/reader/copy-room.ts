import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sortedEnding } from "../results/sorted-copies.ts";

/** Of one result. */
const mostCopies = 8;

interface Copy {
  readonly path: string;
  readonly bytes: number;
  readonly madeAt: number;
}

/** Removes the oldest sorted copies: those beyond the most that a result may have, and those beyond the bytes of all. */
export async function makeRoom(results: string, maxBytes: number): Promise<void> {
  const folders = (await readdir(results)).filter((name) => name.endsWith(sortedEnding));
  const byFolder = await Promise.all(folders.map((folder) => copiesIn(join(results, folder))));
  const newestFirst = (copies: readonly Copy[]): Copy[] => copies.toSorted((a, b) => b.madeAt - a.madeAt);
  const tooMany = byFolder.flatMap((copies) => newestFirst(copies).slice(mostCopies));
  let bytes = 0;
  const tooLarge = newestFirst(byFolder.flat().filter((copy) => !tooMany.includes(copy))).filter((copy) => {
    bytes += copy.bytes;
    return bytes > maxBytes;
  });
  for (const { path } of [...tooMany, ...tooLarge]) await rm(path, { force: true });
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

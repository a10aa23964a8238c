import { randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Names of files in the cache. Each is unique, so that a reader never finds another file under the name of one in use. */
export const fileName = {
  temporary: () => `${randomUUID()}.tmp`,
  whole: (result: string, checksum: string, ending: string) =>
    `${result}.${checksum}.${randomUUID().slice(0, 8)}${ending}`,
  partial: (result: string) => `${result}.${randomUUID().slice(0, 8)}.partial`,
};

const wholeName = /^(?<result>.+)\.(?<checksum>[0-9a-f]{8})\.[0-9a-f]{8}\.(?:parquet|duckdb)$/;

/** Whole file of an earlier start. */
interface KeptFile {
  readonly result: string;
  readonly checksum: string;
  readonly path: string;
  readonly bytes: number;
}

/** Returns the whole files of an earlier start, the oldest first, and removes all others. */
export async function filesOfLastStart(directory: string): Promise<readonly KeptFile[]> {
  const kept: (KeptFile & { readonly writtenAtMs: number })[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const { result, checksum } = wholeName.exec(name)?.groups ?? {};
    if (result === undefined || checksum === undefined || kept.some((file) => file.result === result)) {
      await rm(path, { recursive: true, force: true });
      continue;
    }
    const { size, mtimeMs } = await stat(path);
    kept.push({ result, checksum, path, bytes: size, writtenAtMs: mtimeMs });
  }
  return kept.sort((one, other) => one.writtenAtMs - other.writtenAtMs);
}

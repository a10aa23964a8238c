import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { OpenedFile, SourceFile, SourceFiles, SourceIndex } from "@quern/adapter";

/** Stand-in for a bucket: a directory, and an index in memory. */
export interface LocalBucket {
  readonly directory: string;
  index: SourceIndex | undefined;
  readonly fetches: string[];
}

export function createLocalBucket(directory: string): LocalBucket {
  return { directory, index: undefined, fetches: [] };
}

/** Opens the files of a stand-in for a bucket, with copies in a directory of their own. */
export function openLocalFiles(bucket: LocalBucket, copyDirectory: string): SourceFiles {
  const copies = new Map<string, Copy>();
  const pathOf = (name: string): string => join(bucket.directory, name);
  let copied = 0;

  async function fetch({ name, bytes, checksum }: SourceFile): Promise<string | undefined> {
    bucket.fetches.push(name);
    const content = await readFile(pathOf(name)).catch(() => undefined);
    if (content === undefined) return undefined;
    if (content.length !== bytes) throw new Error(`its size is ${content.length}, expected ${bytes}`);
    if (content.toString("latin1") !== checksum) throw new Error("its checksum differs");
    const path = join(copyDirectory, `${++copied}.duckdb`);
    await mkdir(copyDirectory, { recursive: true });
    await writeFile(path, content);
    return path;
  }

  async function leave(copy: Copy): Promise<void> {
    copy.readers -= 1;
    const path = await copy.path;
    if (copy.readers === 0 && copy.isRemoved && path !== undefined) await rm(path, { force: true });
  }

  return {
    address: "local",
    maxCopyBytes: Number.POSITIVE_INFINITY,
    index: async (known) => (known?.version === bucket.index?.version ? known : bucket.index),
    async replaceIndex(before, text) {
      if (before?.version !== bucket.index?.version) return false;
      bucket.index = { text, version: String(Number(bucket.index?.version ?? 0) + 1) };
      return true;
    },
    async add(name, path) {
      const content = await readFile(path);
      await mkdir(dirname(pathOf(name)), { recursive: true });
      await writeFile(pathOf(name), content, { flag: "wx" }).catch(() => {
        throw new Error(`${name} exists already`);
      });
      return { name, bytes: content.length, checksum: content.toString("latin1") };
    },
    async open(file): Promise<OpenedFile | undefined> {
      const copy = copies.get(file.name) ?? { path: fetch(file), readers: 0, isRemoved: false };
      copies.set(file.name, copy);
      copy.readers += 1;
      const path = await copy.path.catch((error: unknown) => {
        copies.delete(file.name);
        throw error;
      });
      if (path === undefined) copies.delete(file.name);
      let released: Promise<void> | undefined;
      const release = (): Promise<void> => {
        released ??= leave(copy);
        return released;
      };
      return path === undefined ? undefined : { path, release };
    },
    async sweepCopies(isNeeded) {
      for (const [name, copy] of copies) {
        if (isNeeded(name)) continue;
        copies.delete(name);
        copy.isRemoved = true;
        copy.readers += 1;
        await leave(copy);
      }
    },
    async sweep(isNeeded) {
      for (const name of await storedNames(bucket))
        if (!isNeeded(name, (await stat(pathOf(name))).mtimeMs)) await rm(pathOf(name));
    },
    close: async () => {},
  };
}

interface Copy {
  readonly path: Promise<string | undefined>;
  readers: number;
  isRemoved: boolean;
}

/** Lists the names of all files, in ascending order. */
export async function storedNames({ directory }: LocalBucket): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1)).sort();
}

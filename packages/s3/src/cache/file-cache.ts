import { EventEmitter, once } from "node:events";
import { chmod, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { UnavailableError } from "@quern/adapter";
import { checksumOf } from "./checksum.ts";
import { fileName, filesOfLastStart } from "./file-name.ts";

/** File of the cache that stays until it is released. */
export interface CachedFile {
  readonly path: string;
  release(): Promise<void>;
}

/** Part of a result, which is one file of the cache. */
interface FilePart {
  /** Name of the result, unique for each run and attempt. */
  readonly result: string;
  /** `whole`, or a range of bytes. */
  readonly part: string;
  /** Most bytes that the file takes on the disk. */
  readonly bytes: number;
}

/** Writes a file to a path, and returns its checksum. */
type WriteFile = (path: string) => Promise<string>;

/** Lack of space beside the files in use. */
export class CacheFullError extends UnavailableError {}

/** Copies of stored results, or of files of data sources, on the local disk, within a number of bytes. */
export interface FileCache {
  /** Opens a file that the cache has, unless it was changed by something else. */
  find(result: string, part: string): Promise<CachedFile | undefined>;
  /**
   * Opens a file, and writes it unless the cache has it. Callers that open the same file at the same time share one
   * write. The files that were used least recently and that are not in use are removed first.
   * @throws {CacheFullError} if files in use leave no space for too long
   */
  open(part: FilePart, write: WriteFile): Promise<CachedFile>;
  /**
   * Moves a whole file into the cache. Returns false, and leaves the file, if the cache has no space for it, has the
   * result already, or is on another file system.
   */
  adopt(result: string, path: string, bytes: number, checksum: string): Promise<boolean>;
  /** Removes the files of a result. A file in use is removed when it is released. */
  remove(result: string): Promise<void>;
  /** Returns the names of the complete parts of a result. */
  parts(result: string): readonly string[];
  /** Returns the names of all results that have files. */
  results(): readonly string[];
  /** Bytes of all files, also of those that are being written. */
  usedBytes(): number;
}

/** File, complete or being written. */
interface Entry {
  readonly key: string;
  readonly result: string;
  readonly part: string;
  readonly bytes: number;
  /** Resolves when the file is complete. Undefined for a file of an earlier start, until it is checked. */
  ready: Promise<void> | undefined;
  path: string;
  /** Text that changes when the file is changed. */
  version: string;
  readers: number;
  isRemoved: boolean;
}

/** Directory and limits of the cache. */
export interface CacheOptions {
  /** Directory that no other process uses. */
  readonly directory: string;
  readonly maxBytes: number;
  /** True if other users read the files. The directories above it keep everyone else from them. */
  readonly isReadableForAll: boolean;
  /** Ending of the names of whole files. @default ".parquet" */
  readonly ending?: ".parquet" | ".duckdb";
  /** Setting of `maxBytes`, for messages. @default "maxResultCacheBytes" */
  readonly setting?: string;
}

/** Longest time for which a caller waits until files in use leave space, in milliseconds. */
const maxWaitMs = 30_000;

/** Opens the cache. Whole files of an earlier start are used again, once their checksums are compared. */
export async function openFileCache(options: CacheOptions): Promise<FileCache> {
  const { directory, maxBytes, isReadableForAll, ending = ".parquet", setting = "maxResultCacheBytes" } = options;
  /** Files by key; the one that was used last is the last. */
  const entries = new Map<string, Entry>();
  const events = new EventEmitter().setMaxListeners(0);
  let used = 0;

  for (const { result, checksum, path, bytes } of await filesOfLastStart(directory)) {
    const key = keyOf(result, "whole");
    const state = { ready: undefined, version: checksum, readers: 0, isRemoved: false };
    const kept: Entry = { key, result, part: "whole", bytes, path, ...state };
    entries.set(key, kept);
    used += bytes;
  }

  async function deleteFile(entry: Entry): Promise<void> {
    try {
      await rm(entry.path, { force: true });
    } finally {
      used -= entry.bytes;
      events.emit("freed");
    }
  }

  /** Takes a file out of the cache: no caller opens it any longer. */
  async function drop(entry: Entry): Promise<void> {
    if (entry.isRemoved) return;
    entry.isRemoved = true;
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    if (entry.readers === 0) await deleteFile(entry);
  }

  async function leave(entry: Entry): Promise<void> {
    entry.readers -= 1;
    if (entry.readers > 0) return;
    if (entry.isRemoved) await deleteFile(entry);
    else if (used > maxBytes) await drop(entry); // it was larger than the whole cache
    events.emit("freed");
  }

  const oldestUnused = (): Entry | undefined => [...entries.values()].find(({ readers }) => readers === 0);

  /** Counts the bytes of a new file once there is space for them. A file that never fits is admitted alone. */
  async function reserve(bytes: number): Promise<void> {
    const deadline = AbortSignal.timeout(maxWaitMs);
    while (used > 0 && used + bytes > maxBytes) {
      const oldest = oldestUnused();
      if (oldest !== undefined) await drop(oldest);
      else
        await once(events, "freed", { signal: deadline }).catch(() => {
          throw new CacheFullError(
            `The local cache is full: ${used} of ${maxBytes} bytes are in use; if this persists, raise ${setting}.`,
          );
        });
    }
    used += bytes;
  }

  function begin({ result, part, bytes }: FilePart, write: WriteFile): Entry {
    const path = join(directory, fileName.temporary());
    const key = keyOf(result, part);
    const state = { ready: undefined, version: "", readers: 0, isRemoved: false };
    const entry: Entry = { key, result, part, bytes, path, ...state };
    const create = async (): Promise<void> => {
      await reserve(bytes);
      try {
        const checksum = await write(path);
        entry.path = join(
          directory,
          part === "whole" ? fileName.whole(result, checksum, ending) : fileName.partial(result),
        );
        if (isReadableForAll) await chmod(path, 0o644);
        await rename(path, entry.path);
        entry.version = await versionOf(entry.path);
      } catch (error) {
        await rm(path, { force: true });
        used -= bytes;
        events.emit("freed");
        throw error;
      }
    };
    entry.ready = create();
    return entry;
  }

  /** Checks a file of an earlier start, whose version is its checksum. */
  async function check(entry: Entry): Promise<void> {
    const checksum = await checksumOf(entry.path).catch(() => "missing");
    entry.version = checksum === entry.version ? await versionOf(entry.path) : "";
  }

  /** Waits until a file is complete. Returns undefined if it was changed or removed since. */
  async function hold(entry: Entry): Promise<CachedFile | undefined> {
    entry.readers += 1;
    if (!entry.isRemoved) {
      entries.delete(entry.key);
      entries.set(entry.key, entry);
    }
    try {
      entry.ready ??= check(entry);
      await entry.ready;
    } catch (error) {
      if (entries.get(entry.key) === entry) entries.delete(entry.key); // there is no file, and no byte is counted
      throw error;
    }
    const version = await versionOf(entry.path).catch(() => "missing");
    if (entry.isRemoved || version !== entry.version) {
      await drop(entry);
      await leave(entry);
      return undefined;
    }
    let released: Promise<void> | undefined;
    const release = (): Promise<void> => {
      released ??= leave(entry);
      return released;
    };
    return { path: entry.path, release };
  }

  return {
    async find(result, part) {
      const entry = entries.get(keyOf(result, part));
      return entry && hold(entry);
    },
    async open(file, write) {
      for (;;) {
        const key = keyOf(file.result, file.part);
        const entry = entries.get(key) ?? begin(file, write);
        const held = await hold(entry);
        if (held !== undefined) return held;
      }
    },
    async adopt(result, path, bytes, checksum) {
      const key = keyOf(result, "whole");
      while (used + bytes > maxBytes) {
        const oldest = oldestUnused();
        if (oldest === undefined || bytes > maxBytes) return false;
        await drop(oldest);
      }
      if (entries.has(key)) return false; // a caller that read the result has fetched it meanwhile
      used += bytes;
      const target = join(directory, fileName.whole(result, checksum, ending));
      try {
        if (isReadableForAll) await chmod(path, 0o644);
        await rename(path, target);
        const version = await versionOf(target);
        const ready = Promise.resolve();
        const file = { key, result, part: "whole", bytes, path: target };
        entries.set(key, { ...file, ready, version, readers: 0, isRemoved: false });
        return true;
      } catch (error) {
        used -= bytes;
        events.emit("freed");
        if (error instanceof Error && "code" in error && error.code === "EXDEV") return false; // another file system
        throw error;
      }
    },
    async remove(result) {
      for (const entry of [...entries.values()]) if (entry.result === result) await drop(entry);
    },
    parts: (result) =>
      [...entries.values()].filter((entry) => entry.result === result && entry.version !== "").map(({ part }) => part),
    results: () => [...new Set([...entries.values()].map(({ result }) => result))],
    usedBytes: () => used,
  };
}

function keyOf(result: string, part: string): string {
  return `${result} ${part}`;
}

async function versionOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino}-${size}-${mtimeNs}`;
}

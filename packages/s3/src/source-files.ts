import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { SourceFiles } from "@quern/adapter";
import { checksumOf } from "./cache/checksum.ts";
import { CacheFullError, openFileCache } from "./cache/file-cache.ts";
import { copySourceFile, MissingFileError } from "./sources/copy.ts";
import { readIndex, writeIndex } from "./sources/index-object.ts";
import { sweepSources } from "./sources/sweep.ts";
import { parseAddress, sourcePrefix } from "./storage/address.ts";
import { isOfStorage, isRefusal, startFailure, unavailable } from "./storage/failure.ts";
import { putFile } from "./storage/put-file.ts";
import { openStorage } from "./storage/storage.ts";

export interface SourceFilesOptions {
  /**
   * Address of the sources: `s3://bucket/prefix`, with the parameters `endpoint`, `region` and `pathStyle`. Credentials
   * come from the environment, profiles and roles of AWS. The results may have the same address.
   */
  readonly url: string;
  /** Directory of the local copies. No other process uses it. It may have copies of the last start. */
  readonly cacheDirectory: string;
  /** Largest size of the local copies, in bytes. A larger file is read alone, and its copy removed after. */
  readonly maxCacheBytes: number;
  /** True if other users read the copies, such as those of the processes of statements. */
  readonly isReadableForAll: boolean;
}

/**
 * Opens the files of data sources in a bucket.
 * @throws {Error} one line that says what is wrong with the address, the credentials, the bucket or the clock
 */
export async function openSourceFiles(options: SourceFilesOptions): Promise<SourceFiles> {
  const { url, cacheDirectory: directory, maxCacheBytes: maxBytes, isReadableForAll } = options;
  const address = parseAddress(url, "sources");
  const storage = openStorage(address);
  const setting = "maxSourceCacheBytes";
  const cache = await openFileCache({ directory, maxBytes, isReadableForAll, ending: ".duckdb", setting });
  const writer = randomUUID();

  /** Converts errors of the storage to one line without a key. Others, such as that of a full disk, stay as they are. */
  async function described<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isOfStorage(error)) throw error;
      throw isRefusal(error) ? startFailure(error, address) : unavailable(error, address);
    }
  }

  await readIndex(storage).catch((error: unknown) => {
    storage.client.destroy();
    throw isOfStorage(error) ? startFailure(error, address) : error;
  });

  return {
    address: address.text,
    maxCopyBytes: maxBytes,
    index: (known) => described(readIndex(storage, known)),
    replaceIndex: (before, text) => described(writeIndex(storage, before, text)),
    async add(name, path) {
      const { size: bytes } = await stat(path);
      const checksum = await checksumOf(path);
      const key = `${sourcePrefix(address)}${name}`;
      const Metadata = { "quern-writer": writer, "quern-crc32": checksum };
      const ContentType = "application/octet-stream";
      const object = { key, bytes, Metadata, ContentType, what: "data sources" };
      if (!(await putFile(storage, object, () => createReadStream(path))))
        throw new Error(`The file ${key} in ${address.text} exists already.`);
      return { name, bytes, checksum };
    },
    async open(file) {
      const part = { result: localName(file.name), part: "whole", bytes: file.bytes };
      try {
        return await described(cache.open(part, (path) => copySourceFile(storage, file, path)));
      } catch (error) {
        if (error instanceof MissingFileError) return undefined;
        // With an `UnavailableError`, the run would wait until its time limit, and then fail as in an outage.
        if (error instanceof CacheFullError) throw new Error(error.message);
        throw error;
      }
    },
    async sweepCopies(isNeeded) {
      for (const name of cache.results()) if (!isNeeded(storedName(name))) await cache.remove(name);
    },
    sweep: (isNeeded) => described(sweepSources(storage, isNeeded)),
    async close() {
      storage.client.destroy();
    },
  };
}

/** Returns the name of a file in the cache, which has no folders. No source name contains a space. */
function localName(name: string): string {
  return name.replaceAll("/", " ");
}

function storedName(name: string): string {
  return name.replaceAll(" ", "/");
}

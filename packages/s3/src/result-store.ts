import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { DeleteObjectCommand, GetObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import {
  isUnavailableError,
  type OpenedResult,
  type ResultStore,
  type RowRange,
  type StorageLink,
  UnavailableError,
} from "@quern/adapter";
import { uniqueNames } from "@quern/query-run/columns";
import type { RunRecord } from "@quern/query-run/record";
import { checksumOf } from "./cache/checksum.ts";
import { type CachedFile, openFileCache } from "./cache/file-cache.ts";
import { openStart } from "./results/cached-range.ts";
import { type FetchedPart, partFor, writePart } from "./results/fetch.ts";
import { keyOfResult, resultName } from "./results/keys.ts";
import { createKnownResults } from "./results/known-results.ts";
import type { DescribedResult } from "./results/stored-result.ts";
import { type OwnerOf, stateOf, sweepStorage } from "./results/sweep.ts";
import { readLocalResult, uploadResult } from "./results/upload.ts";
import { parseAddress } from "./storage/address.ts";
import { isMissing, isOfStorage, unavailable } from "./storage/failure.ts";
import { claimStorage, readMarker } from "./storage/marker.ts";
import { openStorage } from "./storage/storage.ts";
import { createUploadFiles } from "./uploads.ts";

export interface ResultStoreOptions {
  /**
   * Address of the results: `s3://bucket/prefix`, with the parameters `endpoint`, `region` and `pathStyle`. Credentials
   * come from the environment, profiles and roles of AWS.
   */
  readonly url: string;
  /** Directory of the local copies. No other process uses it. It may have copies of the last start. */
  readonly cacheDirectory: string;
  /** Largest size of the local copies, in bytes. A larger result is read alone, and its copy removed after. */
  readonly maxCacheBytes: number;
  /** True if other users read the copies, such as those of the processes that read pages. */
  readonly isReadableForAll: boolean;
  /** Returns the number of rows of a Parquet file. Called for files with a footer above 16 MB only. */
  readonly rowCountOf: (path: string) => number | Promise<number>;
  /**
   * Id of the service, equal on all its servers and after a restart. Results of another service are refused.
   * @default accepts the results of any service
   */
  readonly serviceId?: string;
  /**
   * Address that had the results of the service before. An empty bucket or prefix is then refused, because a mistake in
   * `url` would let all results expire.
   */
  readonly previousUrl?: string | undefined;
  /** False does not claim an empty bucket or prefix. @default true */
  readonly claims?: boolean;
}

/** Result store in object storage. */
export interface S3ResultStore extends ResultStore {
  /**
   * Returns a signed link to the file of a result. Returns undefined if the result does not exist, or is stored in
   * another format or without the names of its columns. The signature is made without a request to the storage, apart
   * from the one that describes the result.
   */
  downloadUrl(run: RunRecord, options: StorageLink): Promise<string | undefined>;
  /** Removes the local copies of results that no run owns. */
  sweepCache(ownerOf: OwnerOf): Promise<void>;
}

/** Longest time for which the signature of a link is valid, in seconds. */
const maxLinkSeconds = 7 * 24 * 3_600;

/**
 * Opens the results in a bucket. Claims an empty bucket or prefix for this service.
 * @throws {Error} one line that says what is wrong with the address, the credentials, the bucket or the clock
 */
export async function createResultStore({
  url,
  cacheDirectory,
  maxCacheBytes,
  isReadableForAll,
  rowCountOf,
  serviceId,
  previousUrl,
  claims = true,
}: ResultStoreOptions): Promise<S3ResultStore> {
  const address = parseAddress(url);
  const storage = openStorage(address);
  const { client } = storage;
  await claimStorage(storage, serviceId, { previousUrl, claims });
  const cache = await openFileCache({ directory: cacheDirectory, maxBytes: maxCacheBytes, isReadableForAll });
  const known = createKnownResults(storage);
  const removed = createRemovedNames();
  const committer = randomUUID();
  const keyOf = (name: string): string => keyOfResult(address, name);
  /** True after an outage: the bucket may be an empty one that no server has claimed yet. */
  let isUncertain = false;

  /** Removes what this server has of a result. */
  async function forget(name: string): Promise<void> {
    removed.add(name);
    known.forget(keyOf(name));
    await cache.remove(name);
  }

  /** Fetches a part of a result, unless the cache has it. Returns undefined if the result does not exist. */
  async function fetched(name: string, rows: RowRange | undefined): Promise<OpenedResult | undefined> {
    const result = await known.of(keyOf(name));
    if (result === undefined || removed.has(name)) return undefined;
    const part = partFor(result, rows);
    const cached = part.part === "whole" ? undefined : await openStart(cache, name, part.range);
    if (cached !== undefined && cached.range.end >= part.range.end) return opened(cached.file);
    await cached?.file.release();
    try {
      return opened(await cache.open({ ...part, result: name }, (path) => write(name, result, part, path)));
    } catch (error) {
      known.forget(keyOf(name)); // the object may have been removed or replaced meanwhile
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Writes a part of a result. The cache has made space for it, and may have removed the part before it. */
  async function write(name: string, result: DescribedResult, part: FetchedPart, path: string): Promise<string> {
    const cached = part.part === "whole" ? undefined : await openStart(cache, name, part.range);
    try {
      return await writePart(storage, result, part, path, cached);
    } finally {
      await cached?.file.release();
    }
  }

  /** Removes the local copies of results that no run owns. */
  async function sweepCache(ownerOf: OwnerOf): Promise<void> {
    for (const name of cache.results()) if ((await stateOf(name, ownerOf)) === "orphaned") await forget(name);
  }

  /** Converts errors of the storage. Other errors, such as that of a full disk, stay as they are. */
  async function asUnavailable<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw isOfStorage(error) ? unavailable(error, address) : error;
    }
  }

  async function check(): Promise<void> {
    const marker = await asUnavailable(readMarker(storage));
    if (marker === undefined && serviceId !== undefined && claims)
      throw new UnavailableError(`The object quern.json in ${address.text} is missing; restore it.`);
  }

  return {
    async open(run, rows) {
      const name = resultName(run);
      const whole = await cache.find(name, "whole");
      if (whole !== undefined) return opened(whole);
      return asUnavailable(fetched(name, rows));
    },
    async commit(run, { path, columns, rowCount }) {
      const name = resultName(run);
      const local = await readLocalResult(path);
      const rows = local.footer?.rowCount ?? (await rowCountOf(path));
      if (rows !== rowCount) throw new Error(`the result file has ${rows} rows, but ${rowCount} were written`);
      const checksum = await checksumOf(path);
      const names = uniqueNames(columns.map((column) => column.name));
      if (isUncertain) await check();
      isUncertain = false;
      try {
        await uploadResult(storage, keyOf(name), local, { columns: names, checksum, committer });
      } catch (error) {
        isUncertain ||= isUnavailableError(error);
        throw error;
      }
      // The server that has executed a run usually reads its first page.
      if (!(await cache.adopt(name, path, local.bytes, checksum))) await rm(path, { force: true });
      return { columns, rowCount, totalBytes: local.bytes };
    },
    async remove(run) {
      const name = resultName(run);
      const request = new DeleteObjectCommand({ Bucket: address.bucket, Key: keyOf(name) });
      await asUnavailable(client.send(request));
      await forget(name);
    },
    async sweep(ownerOf) {
      await asUnavailable(sweepStorage(storage, ownerOf, forget));
      await sweepCache(ownerOf);
    },
    sweepCache,
    async downloadUrl(run, { format, contentDisposition, expiresInSeconds }) {
      if (format !== "parquet") return undefined;
      const Key = keyOf(resultName(run));
      const result = await asUnavailable(known.of(Key));
      if (!result?.isNamed) return undefined;
      const request = new GetObjectCommand({
        Bucket: address.bucket,
        Key,
        ResponseContentDisposition: contentDisposition,
        ResponseContentType: "application/vnd.apache.parquet",
        ResponseCacheControl: "private, no-store",
      });
      return getSignedUrl(client, request, { expiresIn: Math.min(expiresInSeconds, maxLinkSeconds) });
    },
    uploads: createUploadFiles(storage),
    check,
    async close() {
      client.destroy();
    },
  };
}

function opened({ path, release }: CachedFile): OpenedResult {
  return { paths: [path], release };
}

/** Maximum number of removed names that are remembered. */
const maxRemovedNames = 10_000;

/**
 * Remembers removed results, which are never stored again, so that a request that was sent before the removal does not
 * bring one back into the cache.
 */
function createRemovedNames(): Pick<Set<string>, "has" | "add"> {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add(name) {
      for (const oldest of names) {
        if (names.size < maxRemovedNames) break;
        names.delete(oldest);
      }
      return names.add(name);
    },
  };
}

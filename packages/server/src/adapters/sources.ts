import type { FetchObjects, SourceFiles } from "@quern/adapter";
import { loadAdapter } from "./adapter-package.ts";
import { checkSourcesAddress } from "./storage-options.ts";

/** Exports of `@quern/s3`. */
interface SourceFilesAdapter {
  openSourceFiles(options: {
    readonly url: string;
    readonly cacheDirectory: string;
    readonly maxCacheBytes: number;
    readonly isReadableForAll: boolean;
  }): Promise<SourceFiles>;
  readonly fetchObjects: FetchObjects;
}

const packageName = "@quern/s3";

/** Local copies of files of data sources. */
export interface SourceCopies {
  readonly directory: string;
  readonly maxBytes: number;
  /** Lets processes of statements, which have users of their own, read the copies. */
  readonly isReadableForAll: boolean;
}

/**
 * Opens the files of data sources in a bucket.
 * @param url the setting `sources`
 * @throws {Error} if the address is invalid, its package is missing, or the bucket cannot be read
 */
export async function openSources(url: string, copies: SourceCopies): Promise<SourceFiles> {
  checkSourcesAddress(url);
  const { openSourceFiles } = await loadAdapter<SourceFilesAdapter>(
    "the setting sources",
    packageName,
    "openSourceFiles",
  );
  const { directory: cacheDirectory, maxBytes: maxCacheBytes, isReadableForAll } = copies;
  return openSourceFiles({ url, cacheDirectory, maxCacheBytes, isReadableForAll });
}

/** Copies objects for `quern sources`. @throws {Error} if the package is missing, or the objects cannot be copied */
export const fetchObjects: FetchObjects = async (url, directory, accepts) => {
  const adapter = await loadAdapter<SourceFilesAdapter>("the address s3://", packageName, "fetchObjects");
  return adapter.fetchObjects(url, directory, accepts);
};

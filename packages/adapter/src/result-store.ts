import type { RunRecord, RunResult } from "@quern/query-run/record";
import type { WrittenResult } from "./result.ts";
import type { UploadFiles } from "./upload-files.ts";

/** Rows of a result, by their position from 0. */
export interface RowRange {
  readonly first: number;
  readonly count: number;
}

/** File that a link to the storage returns. */
export interface StorageLink {
  /** Format of the file, such as `parquet`. */
  readonly format: string;
  /** Header `content-disposition` of the answer of the storage, with the name under which a browser stores the file. */
  readonly contentDisposition: string;
  readonly expiresInSeconds: number;
}

/** Result that is open for reading. Its files stay until it is released, even if the result is removed meanwhile. */
export interface OpenedResult {
  /**
   * Local Parquet files with the rows, in this order; at least one. The result store of the service has one for each
   * result.
   */
  readonly paths: readonly string[];
  /** Releases the files. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Store of results. Each result belongs to a run and attempt, and is immutable. Derived files, such as sorted copies,
 * are not part of the store.
 */
export interface ResultStore {
  /**
   * Opens the result of a run. Returns undefined if the result does not exist.
   * @param rows rows that the caller reads: the files have these rows at their positions in the whole result, and may
   *   lack the others. @default all rows
   * @throws if the store cannot tell, for instance because the disk is unavailable
   */
  open(run: RunRecord, rows?: RowRange): Promise<OpenedResult | undefined>;
  /**
   * Stores a written result durably, and takes over its file. After an `UnavailableError` the file is unchanged, and
   * the call can be repeated, also if the result was stored without an answer of the storage.
   * @throws if the number of rows in the footer of the file is not `rowCount`
   * @throws {ResultExistsError} if another commit has stored a result of the run and attempt, and the store can tell.
   *   The run executes again
   */
  commit(run: RunRecord, written: WrittenResult): Promise<RunResult>;
  /**
   * Removes a result: it can no longer be opened. Its files are deleted once every {@link OpenedResult} of it is
   * released. Does nothing if the result does not exist.
   */
  remove(run: RunRecord): Promise<void>;
  /**
   * Removes orphaned files, as {@link remove} does: results of unknown, queued, failed, canceled and archived runs,
   * results of earlier attempts, and files that were not committed. The result of the current attempt of an executing
   * run stays, because it is committed before the record of the run has it.
   * @param ownerOf returns the run with an id; undefined for an unknown id
   */
  sweep(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
  /**
   * Removes the local copies of the results that {@link sweep} would remove. Each server does, while one of them sweeps
   * the storage. Missing in a store without copies.
   */
  sweepCache?(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
  /**
   * Returns a signed link with which a client downloads the file of a result from the storage. Returns undefined if the
   * result is not stored in the format, or not at all. Missing in a store without such links.
   */
  downloadUrl?(run: RunRecord, link: StorageLink): Promise<string | undefined>;
  /**
   * Files that callers have uploaded, in the same storage. Missing in a store without them: servers that share a store
   * of records then refuse uploads.
   */
  readonly uploads?: UploadFiles;
  /**
   * Checks that results can be stored and opened.
   * @throws {UnavailableError} if the storage cannot be reached
   */
  check(): Promise<void>;
  /** Ends the connections of the store. */
  close(): Promise<void>;
}

import type { RunRecord, RunResult } from "@quern/query-run/record";
import type { WrittenResult } from "./result.ts";

/** Result that is open for reading. Its files stay until it is released, even if the result is removed meanwhile. */
export interface OpenedResult {
  /** Local Parquet files with the rows, in this order; at least one. The service writes one. */
  readonly paths: readonly string[];
  /** Releases the files. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Store of results. Each result belongs to a run and attempt, and is immutable. Derived files, such as sorted copies, are
 * not part of the store.
 */
export interface ResultStore {
  /**
   * Opens the result of a run. Returns undefined if the result does not exist.
   * @throws if the store cannot tell, for instance because the disk is unavailable
   */
  open(run: RunRecord): Promise<OpenedResult | undefined>;
  /**
   * Stores a written result durably, and takes over its file.
   * @throws if the number of rows in the footer of the file is not `rowCount`
   */
  commit(run: RunRecord, written: WrittenResult): Promise<RunResult>;
  /** Removes a result, which can no longer be opened. Its files are deleted when every opened result is released. */
  remove(run: RunRecord): Promise<void>;
  /** Removes orphaned results, as {@link remove} does. A result of an executing run is not orphaned, though the run does not name it yet. */
  sweep(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
}

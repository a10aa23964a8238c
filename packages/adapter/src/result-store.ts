import type { RunRecord, RunResult } from "@quern/query-run/record";
import type { WrittenResult } from "./result.ts";

/** A result that is held for reading: its files stay until it is released, though the result is removed meanwhile. */
export interface OpenedResult {
  /** Parquet files on this machine that have the rows, in this order; at least one. The service writes one. */
  readonly paths: readonly string[];
  /** Lets go of the files. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Results: one for a run and attempt, written once and never changed. What is derived from them, such as sorted copies, is
 * no concern of the store.
 */
export interface ResultStore {
  /**
   * Opens the result of a run; undefined when it is not there any more.
   * @throws when that cannot be known, for one because the disk does not answer
   */
  open(run: RunRecord): Promise<OpenedResult | undefined>;
  /**
   * Takes over a written result: checks it against its footer and moves it to its place, on disk when it returns.
   * @throws when the file does not have the rows that were written
   */
  commit(run: RunRecord, written: WrittenResult): Promise<RunResult>;
  /** Removes a result, which cannot be opened from then on. Its files go when all who have opened it have released it. */
  remove(run: RunRecord): Promise<void>;
  /** Removes the results that no run owns, as {@link remove} does, and none that a run is about to own. */
  sweep(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
}

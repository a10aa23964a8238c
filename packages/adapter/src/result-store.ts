import type { RunRecord, RunResult } from "@quern/query-run/record";
import type { WrittenResult } from "./result.ts";

/**
 * Results: one for a run and attempt, written once and never changed.
 */
export interface ResultStore {
  path(run: RunRecord): string;
  /**
   * Takes over a written result: checks it against its footer and moves it to its place, on disk when it returns.
   * @throws when the file does not have the rows that were written
   */
  commit(run: RunRecord, written: WrittenResult): Promise<RunResult>;
  remove(run: RunRecord): Promise<void>;
  /**
   * Whether the result of a run is where it was put.
   * @throws when that cannot be known, for one because the disk does not answer
   */
  has(run: RunRecord): Promise<boolean>;
  /** Removes the files that no run owns, and none that a run is about to own. */
  sweep(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
}

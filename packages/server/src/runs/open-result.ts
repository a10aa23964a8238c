import { isUnavailableError, type OpenedResult, type ResultStore, type RowRange } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { declaredError } from "../common/declared-error.ts";
import { isDiskFull } from "../common/disk-full.ts";
import type { RunChanges } from "./run-changes.ts";

export interface ResultDependencies {
  readonly results: ResultStore;
  readonly changes: RunChanges;
}

/**
 * Opens the result of a run. Returns undefined if the files are missing; the run is then archived, so that its result
 * is not read or reused again.
 * @throws {MethodError} DuckDBError if the result store cannot be read
 * @throws {UnavailableError} if the result store cannot be reached
 */
export async function openResult(
  run: RunRecord,
  { results, changes }: ResultDependencies,
  rows?: RowRange,
): Promise<OpenedResult | undefined> {
  const opened = await results.open(run, rows).catch((cause: unknown) => {
    if (isUnavailableError(cause)) throw cause;
    throw declaredError("DuckDBError", undefined, { cause });
  });
  if (opened === undefined)
    await changes.apply(run.id, { type: "archived" }).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error; // the next read of the result archives it
    });
  return opened;
}

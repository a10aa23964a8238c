import type { OpenedResult, ResultStore } from "@quern/adapter";
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
 */
export async function openResult(
  run: RunRecord,
  { results, changes }: ResultDependencies,
): Promise<OpenedResult | undefined> {
  const opened = await results.open(run).catch((cause: unknown) => {
    throw declaredError("DuckDBError", undefined, { cause });
  });
  if (opened === undefined)
    await changes.apply(run.id, { type: "archived" }).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error; // the next read of the result archives it
    });
  return opened;
}

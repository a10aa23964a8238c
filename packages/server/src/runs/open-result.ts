import type { OpenedResult, ResultStore } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { declaredError } from "../common/declared-error.ts";
import type { RunChanges } from "./run-changes.ts";

export interface ResultDependencies {
  readonly results: ResultStore;
  readonly changes: RunChanges;
}

/**
 * Opens the result of a run. Undefined when it is gone: the run is archived then, so that it is neither read nor reused any
 * more.
 * @throws {MethodError} DuckDBError when that cannot be known
 */
export async function openResult(
  run: RunRecord,
  { results, changes }: ResultDependencies,
): Promise<OpenedResult | undefined> {
  const opened = await results.open(run).catch((cause: unknown) => {
    throw declaredError("DuckDBError", undefined, { cause });
  });
  if (opened === undefined) await changes.apply(run.id, { type: "archived" });
  return opened;
}

import type { ResultStore } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { declaredError } from "../common/declared-error.ts";
import type { RunChanges } from "./run-changes.ts";

export interface LostResultRooms {
  readonly results: ResultStore;
  readonly changes: RunChanges;
}

/**
 * Archives a run whose result is gone, so that it is neither read nor reused any more; whether it was.
 * @throws {MethodError} DuckDBError when that cannot be known
 */
export async function archiveIfLost(run: RunRecord, { results, changes }: LostResultRooms): Promise<boolean> {
  const isKept = await results.has(run).catch((cause: unknown) => {
    throw declaredError("DuckDBError", undefined, { cause });
  });
  if (isKept) return false;
  await changes.apply(run.id, { type: "archived" });
  return true;
}

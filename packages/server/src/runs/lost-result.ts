import type { RunRecord } from "@quern/query-run/record";
import type { ResultStore } from "../results/result-store.ts";
import type { RunChanges } from "./run-changes.ts";

export interface LostResultRooms {
  readonly results: ResultStore;
  readonly changes: RunChanges;
}

/** Archives a run whose result is gone, so that it is neither read nor reused any more; whether it was. */
export async function archiveIfLost(run: RunRecord, { results, changes }: LostResultRooms): Promise<boolean> {
  if (await results.has(run)) return false;
  await changes.apply(run.id, { type: "archived" });
  return true;
}

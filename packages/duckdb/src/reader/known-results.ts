import { type ResultFile, resultFiles } from "../results/result-files.ts";
import { type RowPlan, rowPlan } from "./row-plan.ts";
import type { PageTask } from "./task.ts";

/** What all pages of a result have in common. */
export interface KnownResult {
  readonly files: readonly ResultFile[];
  readonly plan: RowPlan;
}

/** Remembers the plans and files of results, so that they are not prepared again for each page. */
export interface KnownResults {
  of(task: PageTask): Promise<KnownResult>;
}

/** Largest number of results that are remembered. The ones that were read last are kept. */
const maxResults = 200;

export function createKnownResults(): KnownResults {
  const known = new Map<string, KnownResult>();
  return {
    async of(task) {
      const { result, paths, format, rowIndex, rowNumber } = task;
      const key = JSON.stringify([result, paths, format, rowIndex, rowNumber]);
      const found = known.get(key) ?? { files: await resultFiles(paths), plan: rowPlan(task) };
      known.delete(key);
      known.set(key, found); // the last one read is the last in the map
      for (const oldest of known.keys()) {
        if (known.size <= maxResults) break;
        known.delete(oldest);
      }
      return found;
    },
  };
}

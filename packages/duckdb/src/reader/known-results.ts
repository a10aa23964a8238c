import { stat } from "node:fs/promises";
import { parquetFooterBytes } from "../results/parquet-row-count.ts";
import { type ResultFile, resultFiles } from "../results/result-files.ts";
import { type RowPlan, rowPlan } from "./row-plan.ts";
import type { PageTask } from "./task.ts";

/** Files and plan of a result, which all its pages share. */
interface KnownResult {
  readonly files: readonly ResultFile[];
  readonly plan: RowPlan;
}

/** Remembers the plans and files of results, so that they are not prepared again for each page. */
export interface KnownResults {
  of(task: PageTask): Promise<KnownResult>;
}

/** Largest number of results that are remembered. The ones that were read last are kept. */
const maxResults = 200;

/** Returns a text that changes when a file is replaced by another of the same name. */
async function versionOf(path: string): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true });
  return `${ino}-${mtimeNs}`;
}

/** @param onFooter called with the size of the footer of each file that is new, in bytes */
export function createKnownResults(onFooter: (bytes: number) => void): KnownResults {
  function prepare(task: PageTask): KnownResult {
    const files = resultFiles(task.paths);
    for (const { path } of files) onFooter(parquetFooterBytes(path));
    return { files, plan: rowPlan(task) };
  }

  const known = new Map<string, KnownResult>();
  return {
    async of(task) {
      const { result, paths, format, rowIndex, rowNumber } = task;
      const versions = await Promise.all(paths.map(versionOf));
      const key = JSON.stringify([result, paths, versions, format, rowIndex, rowNumber]);
      const found = known.get(key) ?? prepare(task);
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

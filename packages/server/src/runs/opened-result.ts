import type { ResultStore } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { declaredError } from "../common/declared-error.ts";
import type { RunChanges } from "./run-changes.ts";

export interface ResultRooms {
  readonly results: ResultStore;
  readonly changes: RunChanges;
}

/** File of a result, which stays until it is released. */
export interface OpenedFile {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Opens the result of a run. Undefined when it is gone: the run is archived then, so that it is neither read nor reused any
 * more.
 * @throws {MethodError} DuckDBError when that cannot be known
 */
export async function openedResult(run: RunRecord, { results, changes }: ResultRooms): Promise<OpenedFile | undefined> {
  const opened = await results.open(run).catch((cause: unknown) => {
    throw declaredError("DuckDBError", undefined, { cause });
  });
  if (opened === undefined) {
    await changes.apply(run.id, { type: "archived" });
    return undefined;
  }
  const { paths, release } = opened;
  const [path] = paths;
  if (path !== undefined && paths.length === 1) return { path, release };
  await release();
  throw new Error(`the result of run ${run.id} has ${paths.length} files; expected one`);
}

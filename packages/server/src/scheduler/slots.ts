import type { Source, SourceFilter } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import type { WaitReasons } from "@quern/query-run/wire";
import type { SourceCatalog } from "../sources/catalog.ts";

interface SlotsOptions {
  readonly sources: Pick<SourceCatalog, "all" | "named">;
  readonly executing: () => Iterable<{ readonly run: Pick<RunRecord, "dataSourceId"> }>;
  /** Slots of all sources without an address together, whose engines use the processors of this server. */
  readonly maxRunningRuns: number;
  /** Slots of each source with an address, whose engine has processors of its own. */
  readonly maxRunningRunsOfSource: number;
}

/** Slots of the runs that this server executes. */
export interface Slots {
  /** Returns the sources whose runs may start; undefined if no run may. */
  free(): SourceFilter | undefined;
  waitReasons(): WaitReasons;
}

export const countOf = (runs: number): string => (runs === 1 ? "1 run" : `${runs} runs`);

const isRemote = ({ address }: Source): boolean => address !== undefined;

export function createSlots({ sources, executing, maxRunningRuns, maxRunningRunsOfSource }: SlotsOptions): Slots {
  function state() {
    const remote = sources.all(undefined).filter(isRemote);
    const used = new Map(remote.map(({ name }) => [name, 0]));
    let local = 0;
    for (const { run } of executing()) {
      const count = used.get(run.dataSourceId);
      if (count === undefined) local += 1;
      else used.set(run.dataSourceId, count + 1);
    }
    const names = (isFull: boolean) =>
      [...used].filter(([, count]) => count >= maxRunningRunsOfSource === isFull).map(([name]) => name);
    return { isLocalFull: local >= maxRunningRuns, names };
  }

  return {
    free() {
      const { isLocalFull, names } = state();
      // A source that was removed has no address any more: its runs start, and fail.
      if (!isLocalFull) return { names: names(true), isIncluded: false };
      const free = names(false);
      return free.length === 0 ? undefined : { names: free, isIncluded: true };
    },
    waitReasons() {
      const { isLocalFull, names } = state();
      const ofBusy = (name: string) =>
        `The data source ${name} executes ${countOf(maxRunningRunsOfSource)}, its limit; the run starts when one of them ends.`;
      const ofSources = new Map([
        ...names(true).map((name) => [name, ofBusy(name)] as const),
        ...names(false).map((name) => [name, undefined] as const),
      ]);
      const ofOthers = `The service executes ${countOf(maxRunningRuns)}, its limit; the run starts when one of them ends.`;
      return { ofSources, ofOthers: isLocalFull ? ofOthers : undefined };
    },
  };
}

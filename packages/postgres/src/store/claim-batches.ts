import { isDeepStrictEqual } from "node:util";
import type { ClaimedRun, Lease, RunStore, SourceFilter } from "@quern/adapter";
import type { Database } from "./database.ts";
import { claimRuns } from "./queue.ts";

interface PendingClaim {
  readonly lease: Lease;
  readonly sources: SourceFilter;
  resolve(claimed: ClaimedRun | undefined): void;
  reject(error: unknown): void;
}

const allSources: SourceFilter = { names: [], isIncluded: false };

/** Maximum number of runs that one transaction claims. */
const maxBatch = 16;

/**
 * Creates the function that claims a run. Claims of the same data sources that are made while another one is under way
 * share the next transaction, and get their runs in their order.
 */
export function createClaims(database: Database): RunStore["claim"] {
  let pending: PendingClaim[] = [];
  let working = false;

  async function work(): Promise<void> {
    while (pending.length > 0) {
      const sources = pending[0]?.sources ?? allSources;
      const same = pending.filter((claim) => isDeepStrictEqual(claim.sources, sources));
      const batch = same.slice(0, maxBatch);
      pending = pending.filter((claim) => !batch.includes(claim));
      await claimBatch(batch, sources);
    }
    working = false;
  }

  async function claimBatch(batch: readonly PendingClaim[], sources: SourceFilter): Promise<void> {
    try {
      const { runs, isEmpty } = await database.urgent.transaction((queries) =>
        claimRuns(
          queries,
          batch.map(({ lease }) => lease),
          sources,
        ),
      );
      for (const [index, run] of runs.entries()) batch[index]?.resolve(run);
      const rest = batch.slice(runs.length);
      if (isEmpty) for (const { resolve } of rest) resolve(undefined);
      else pending = [...rest, ...pending];
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (lease, sources = allSources) =>
    new Promise((resolve, reject) => {
      pending.push({ lease, sources, resolve, reject });
      if (working) return;
      working = true;
      // Later, so that the claims of a caller who makes several of them at once share the first transaction, too.
      queueMicrotask(() => void work());
    });
}

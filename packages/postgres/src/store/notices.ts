import type { RunNotice } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import type { Database, Transaction } from "./database.ts";
import { type ChangedRun, hasNotice, isNoticed } from "./run-records.ts";

/** Notice with the version of the run, which grows with each change. */
export interface VersionedNotice extends RunNotice {
  readonly version: number;
}

/** Adds a notice of a run that has changed from a state to another, or is new. */
export type AddNotice = (run: RunRecord, version: number) => void;

export interface Notices {
  /** Performs a transaction. Subscribers here and on other servers are notified of the added notices after the commit. */
  change<T>(work: (queries: Transaction, addNotice: AddNotice) => Promise<T>): Promise<T>;
  /** Notifies subscribers here and on other servers of committed changes. */
  publishRuns(changes: readonly ChangedRun[]): void;
  /** Delivers a notice to the subscribers of this store, unless they had it or a later one of the run. */
  deliver(notice: VersionedNotice): void;
  subscribe(listener: (notice: RunNotice) => void): () => void;
  readonly hasSubscribers: boolean;
}

/** Number of runs whose last notice is remembered. */
const maxRemembered = 20_000;

/** @param send sends notices to the other servers */
export function createNotices(database: Database, send: (notices: readonly VersionedNotice[]) => void): Notices {
  const listeners = new Set<(notice: RunNotice) => void>();
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()];

  function deliver({ runId, state, version }: VersionedNotice): void {
    if (version <= (recent.get(runId) ?? older.get(runId) ?? 0)) return;
    if (recent.size >= maxRemembered / 2) [recent, older] = [new Map(), recent];
    recent.set(runId, version);
    for (const listener of listeners) listener({ runId, state });
  }

  function publish(notices: readonly VersionedNotice[]): void {
    if (notices.length > 0) send(notices);
    for (const notice of notices) deliver(notice);
  }

  return {
    deliver,
    publishRuns(changes) {
      const noticed = changes.filter(hasNotice);
      publish(noticed.map(({ before, run: { id, state } }) => ({ runId: id, state, version: before.version + 1 })));
    },
    get hasSubscribers() {
      return listeners.size > 0;
    },
    subscribe(listener) {
      // A new function for each subscription, so that a listener may subscribe twice.
      const call = (notice: RunNotice): void => listener(notice);
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    async change(work) {
      const { outcome, last } = await database.transaction(async (queries) => {
        const last = new Map<string, VersionedNotice>();
        const addNotice: AddNotice = ({ id, state }, version) => {
          if (isNoticed(state)) last.set(id, { runId: id, state, version });
        };
        return { outcome: await work(queries, addNotice), last };
      });
      publish([...last.values()]);
      return outcome;
    },
  };
}

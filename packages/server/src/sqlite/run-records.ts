import type { DatabaseSync } from "node:sqlite";
import type { Instant, RunRecord, StatementRecord } from "@quern/query-run/record";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { prepareRecords } from "./records.ts";

/** States as lists for `IN`, written exactly as in the partial indexes, so that SQLite uses those. */
export const unfinished = "('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";
export const executing = "('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";

/** Records of runs and their statements. The caller provides the transaction. */
export interface RunRecords {
  run(id: string): RunRecord | undefined;
  statementOf(run: RunRecord): StatementRecord;
  /** Applies an event to a run, and stores the run if the event is accepted. */
  apply(run: RunRecord, event: RunEvent, now: Instant): Transition;
  /** @param maxRunningRuns maximum number of runs of the tenant that execute at the same time; null is no cap */
  insert(run: RunRecord, maxRunningRuns: number | null): void;
}

/** @param addNotice called with each run that was inserted or has changed its state */
export function createRunRecords(database: DatabaseSync, addNotice: (run: RunRecord) => void): RunRecords {
  const records = prepareRecords(database, {
    run: "SELECT record FROM runs WHERE id = ?",
    updateRun: "UPDATE runs SET record = ? WHERE id = ? AND state = ? AND attempt = ?",
    // The first unfinished run of a reuse key is the one that others join. A unique index prevents a second one.
    insertRun: `INSERT INTO runs (id, record, max_running_runs, shareable) VALUES (?, ?, ?,
      NOT EXISTS (SELECT 1 FROM runs WHERE reuse_key = ? AND shareable = 1 AND state IN ${unfinished}))`,
    statement: "SELECT record FROM statements WHERE id = ? AND tenant_id = ?",
    storedBytes: "SELECT coalesce(max(bytes), 0) AS n FROM stored_bytes WHERE tenant_id = ?",
  });

  function statementOf({ id, sqlStatementId, tenantId }: RunRecord): StatementRecord {
    const statement = records.one<StatementRecord>("statement", sqlStatementId, tenantId);
    if (statement === undefined) throw new Error(`run ${id} has no statement`);
    return statement;
  }

  /** Stores a run, by compare-and-set on its state and attempt. */
  function save(before: RunRecord, after: RunRecord): void {
    const changed = records.run("updateRun", JSON.stringify(after), before.id, before.state, before.attempt);
    if (changed !== 1) throw new Error(`run ${before.id} was changed by another writer`);
    if (after.state !== before.state) addNotice(after);
  }

  function exceedsQuota({ tenantId }: RunRecord, event: RunEvent): boolean {
    if (event.type !== "committed" || event.maxStoredBytes === undefined) return false;
    return records.count("storedBytes", tenantId) + event.result.totalBytes > event.maxStoredBytes;
  }

  return {
    run: (id) => records.one("run", id),
    statementOf,
    apply(run, event, now) {
      const next = transition(run, event, now);
      if (!next.accepted || next.run === run) return next;
      if (exceedsQuota(run, event)) return { accepted: false, refusal: "StorageQuotaExceeded" };
      save(run, next.run);
      return next;
    },
    insert(run, maxRunningRuns) {
      records.run("insertRun", run.id, JSON.stringify(run), maxRunningRuns, run.reuseKey);
      addNotice(run);
    },
  };
}

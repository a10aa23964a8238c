import type { DatabaseSync } from "node:sqlite";
import type { Instant, RunRecord, StatementRecord } from "@quern/query-run/record";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { prepareRecords } from "./records.ts";
import { unfinished } from "./states.ts";

/** Runs and their statements, read and changed within a transaction of the caller. */
export interface RunRecords {
  run(id: string): RunRecord | undefined;
  statement(tenantId: string, id: string): StatementRecord | undefined;
  statementOf(run: RunRecord): StatementRecord;
  apply(run: RunRecord, event: RunEvent, now: Instant): Transition;
  /** @param maxRunningRuns runs of its tenant that may execute at once; null is no cap */
  insert(run: RunRecord, maxRunningRuns: number | null): void;
}

/** @param note called with each run that is brought into another state */
export function createRunRecords(database: DatabaseSync, note: (run: RunRecord) => void): RunRecords {
  const records = prepareRecords(database, {
    run: "SELECT record FROM runs WHERE id = ?",
    updateRun: "UPDATE runs SET record = ? WHERE id = ? AND state = ? AND attempt = ?",
    // The first of equal runs is the one to share; the index of shared runs lets there be no two of them.
    insertRun: `INSERT INTO runs (id, record, max_running_runs, shareable) VALUES (?, ?, ?,
      NOT EXISTS (SELECT 1 FROM runs WHERE reuse_key = ? AND shareable = 1 AND state IN ${unfinished}))`,
    statement: "SELECT record FROM statements WHERE id = ? AND tenant_id = ?",
  });

  function statementOf({ id, sqlStatementId, tenantId }: RunRecord): StatementRecord {
    const statement = records.one<StatementRecord>("statement", sqlStatementId, tenantId);
    if (statement === undefined) throw new Error(`run ${id} has no statement`);
    return statement;
  }

  function save(before: RunRecord, after: RunRecord): void {
    const changed = records.run("updateRun", JSON.stringify(after), before.id, before.state, before.attempt);
    if (changed !== 1) throw new Error(`run ${before.id} was changed by somebody else`);
    if (after.state !== before.state) note(after);
  }

  return {
    run: (id) => records.one("run", id),
    statement: (tenantId, id) => records.one("statement", id, tenantId),
    statementOf,
    apply(run, event, now) {
      const next = transition(run, event, now);
      if (next.accepted && next.run !== run) save(run, next.run);
      return next;
    },
    insert(run, maxRunningRuns) {
      records.run("insertRun", run.id, JSON.stringify(run), maxRunningRuns, run.reuseKey);
      note(run);
    },
  };
}

import type { DatabaseSync } from "node:sqlite";
import type { ErasedRecords, UserOfTenant } from "@quern/adapter";
import { type Instant, isFinal, type RequestRecord } from "@quern/query-run/record";
import { prepareRecords, recordOf } from "./records.ts";
import { executing, type RunRecords } from "./run-records.ts";

/** Erases records of a user, of up to `limit` runs. The caller provides the transaction. */
export type Erasure = (user: UserOfTenant, limit: number, now: Instant) => ErasedRecords;

export function createErasure(database: DatabaseSync, runs: RunRecords): Erasure {
  const records = prepareRecords(database, {
    requested: "SELECT run_id, run_created_at FROM requested_runs WHERE tenant_id = ? AND user_id = ? LIMIT ?",
    forgetRequested:
      "DELETE FROM requested_runs WHERE tenant_id = ? AND user_id = ? AND run_created_at = ? AND run_id = ?",
    requests: "DELETE FROM requests WHERE run_id = ? AND user_id = ?",
    // A caller with tokens has no row in the table `keys`; its requests have its `api_key_id`.
    withdrawnKeysOfRequests: `DELETE FROM withdrawn_keys
      WHERE api_key_id IN (SELECT api_key_id FROM requests WHERE run_id = ? AND user_id = ?)`,
    withdrawnKeys:
      "DELETE FROM withdrawn_keys WHERE api_key_id IN (SELECT id FROM keys WHERE tenant_id = ? AND user_id = ?)",
    // Texts of filters have no user. Whoever has a link with filters or an order requests another one.
    linkViews: "DELETE FROM link_views",
    turn: "DELETE FROM turns WHERE tenant_id = ? AND user_id = ?",
    others: "SELECT record, withdrawn_at FROM requests WHERE run_id = ? ORDER BY created_at, rowid",
    handOver: "UPDATE runs SET record = ? WHERE id = ?",
    isExecuting: `SELECT count(*) AS n FROM runs WHERE id = ? AND state IN ${executing}`,
    run: "DELETE FROM runs WHERE id = ?",
    statement: "DELETE FROM statements WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE sql_statement_id = ?)",
  });

  /** Deletes a run, and its statement unless another run has it. Returns the number of deleted statements. */
  function deleteRun(id: string): number {
    const statementId = runs.run(id)?.sqlStatementId ?? null;
    records.run("run", id);
    return records.run("statement", statementId, statementId);
  }

  /**
   * Gives a run of the user the name and the tags of its first other request. Cancels an unfinished run if all other
   * requests are withdrawn.
   */
  function keepForOthers(id: string, userId: string, now: Instant): void {
    const others = records.rows("others", id);
    const run = runs.run(id);
    const [first] = others;
    if (run === undefined || first === undefined) return;
    const { userId: nextUserId, tags } = recordOf<RequestRecord>(first);
    const kept = run.userId === userId ? { ...run, userId: nextUserId, tags, traceparent: undefined } : run;
    records.run("handOver", JSON.stringify(kept), id);
    const isWanted = others.some(({ withdrawn_at }) => withdrawn_at === null);
    if (!isWanted && !isFinal(kept.state)) runs.apply(kept, { type: "canceled" }, now);
  }

  return ({ tenantId, userId }, limit, now) => {
    const erased = { runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0 };
    records.run("withdrawnKeys", tenantId, userId);
    records.run("linkViews");
    records.run("turn", tenantId, userId);
    for (const { run_id, run_created_at = null } of records.rows("requested", tenantId, userId, limit)) {
      const id = String(run_id);
      records.run("withdrawnKeysOfRequests", id, userId);
      records.run("requests", id, userId);
      records.run("forgetRequested", tenantId, userId, run_created_at, id);
      if (records.row("others", id) === undefined) {
        erased.executingRuns += records.count("isExecuting", id);
        erased.statements += deleteRun(id);
        erased.runs += 1;
      } else {
        keepForOthers(id, userId, now);
        erased.sharedRuns += 1;
      }
    }
    return erased;
  };
}

import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "@quern/query-run/record";
import { prepareRecords } from "./records.ts";

/** Removes the oldest of the runs that ended before an instant, with all that is about them alone; how many it removed. */
export function createPurge(database: DatabaseSync): (endedBefore: Instant, limit: number) => number {
  const records = prepareRecords(database, {
    // A result that can still be read keeps its run.
    ended: `SELECT id, sql_statement_id FROM runs WHERE ended_at IS NOT NULL AND ended_at < ?
      AND (expires_at IS NULL OR archived_at IS NOT NULL) ORDER BY ended_at LIMIT ?`,
    asked: `DELETE FROM asked WHERE (tenant_id, user_id, run_created_at, run_id) IN (SELECT tenant_id, requests.user_id,
      runs.created_at, runs.id FROM runs JOIN requests ON requests.run_id = runs.id WHERE runs.id = ?)`,
    requests: "DELETE FROM requests WHERE run_id = ?",
    run: "DELETE FROM runs WHERE id = ?",
    statement: "DELETE FROM statements WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE sql_statement_id = ?)",
  });
  return (endedBefore, limit) => {
    const ended = records.rows("ended", endedBefore, limit);
    for (const { id = null, sql_statement_id: statementId = null } of ended) {
      records.run("asked", id);
      records.run("requests", id);
      records.run("run", id);
      records.run("statement", statementId, statementId);
    }
    return ended.length;
  };
}

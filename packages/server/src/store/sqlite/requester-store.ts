import type { DatabaseSync } from "node:sqlite";
import type { RequesterStore } from "../requester-store.ts";

export function createSqliteRequesterStore(database: DatabaseSync): RequesterStore {
  const ofRun = database.prepare("SELECT 1 FROM requests WHERE run_id = ? AND user_id = ? LIMIT 1");
  const ofStatement = database.prepare("SELECT 1 FROM requests WHERE sql_statement_id = ? AND user_id = ? LIMIT 1");
  return {
    askedForRun: async (userId, runId) => ofRun.get(runId, userId) !== undefined,
    askedForStatement: async (userId, sqlStatementId) => ofStatement.get(sqlStatementId, userId) !== undefined,
  };
}

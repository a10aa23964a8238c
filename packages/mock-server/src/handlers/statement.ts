import type { CreateQueryRunParams } from "@quern/protocol/types";
import type { RunRecord, StatementRecord } from "@quern/query-run/record";
import { declaredError } from "../declared-error.ts";
import { type Namespace, userId } from "../namespace.ts";

/** The statement of a text; it is kept once, however often it runs, so its hash makes its id. */
export function keptStatement(
  { sql, tags = {} }: CreateQueryRunParams,
  statementHash: string,
  { statements, clock }: Namespace,
): StatementRecord {
  const id = `st_${statementHash.slice(0, 24)}`;
  const kept = statements.get(id);
  if (kept !== undefined) return kept;
  const now = clock.now();
  const statement = { id, sql, statementHash, columns: null, userId, tags, createdAt: now, updatedAt: now };
  statements.set(id, statement);
  return statement;
}

/** The statement of an id. @throws MethodError where there is none. */
export function foundStatement({ statements }: Namespace, sqlStatementId: string): StatementRecord {
  const statement = statements.get(sqlStatementId);
  if (statement === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return statement;
}

/** Notes the columns of a run that has succeeded. */
export function describeStatement({ statements }: Namespace, { sqlStatementId, result, updatedAt }: RunRecord): void {
  const statement = statements.get(sqlStatementId);
  if (statement === undefined || result === null) return;
  statements.set(sqlStatementId, { ...statement, columns: result.columns, updatedAt });
}

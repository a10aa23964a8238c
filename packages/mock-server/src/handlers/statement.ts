import type { CreateQueryRunParams } from "@quern/protocol/types";
import type { StatementRecord } from "@quern/query-run/record";
import { declaredError } from "../declared-error.ts";
import { type Namespace, userId } from "../namespace.ts";

/** The statement of a text; it is kept once, however often it runs. */
export function keptStatement(
  { sql, tags = {} }: CreateQueryRunParams,
  statementHash: string,
  namespace: Namespace,
): StatementRecord {
  const kept = namespace.statements.get(sql);
  if (kept !== undefined) return kept;
  const now = namespace.clock.now();
  const id = namespace.nextId("st");
  const statement: StatementRecord = {
    id,
    sql,
    statementHash,
    columns: null,
    userId,
    tags,
    createdAt: now,
    updatedAt: now,
  };
  namespace.statements.set(sql, statement);
  return statement;
}

/** The statement of an id, with the columns of its last result. @throws MethodError where there is none. */
export function foundStatement({ runs, statements }: Namespace, sqlStatementId: string): StatementRecord {
  const statement = [...statements.values()].find(({ id }) => id === sqlStatementId);
  if (statement === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  const results = [...runs.values()].filter(
    ({ record }) => record.sqlStatementId === sqlStatementId && record.result !== null,
  );
  const last = results.at(-1)?.record;
  if (last === undefined) return statement;
  return { ...statement, columns: last.result?.columns ?? null, updatedAt: last.endedAt ?? statement.updatedAt };
}

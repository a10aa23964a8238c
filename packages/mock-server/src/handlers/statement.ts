import type { SqlStatement } from "@quern/protocol/types";
import type { RequestRecord, StatementRecord } from "@quern/query-run/record";
import { toSqlStatement } from "@quern/query-run/wire";
import type { AskedStatement, Namespace } from "../namespaces/namespace.ts";
import { declaredError } from "../wire/declared-error.ts";
import { foundRun } from "./found-run.ts";

/** The statement of a text; its hash makes its id. */
export function statementOf(sql: string, statementHash: string): StatementRecord {
  return { id: `st_${statementHash.slice(0, 24)}`, sql, statementHash };
}

/** A statement and who asked for it. @throws MethodError where there is none. */
export function askedStatement({ statements }: Namespace, sqlStatementId: string): AskedStatement {
  const asked = statements.get(sqlStatementId);
  if (asked === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return asked;
}

/** A statement as the latest request for it with a result has it, or else the latest. @throws MethodError where there is none. */
export function foundStatement(namespace: Namespace, sqlStatementId: string): SqlStatement {
  const { statement, requests } = askedStatement(namespace, sqlStatementId);
  const runOf = ({ queryRunId }: RequestRecord) => foundRun(namespace, queryRunId).record;
  const asking = requests.findLast((one) => runOf(one).result !== null) ?? requests.at(-1);
  if (asking === undefined) throw new Error(`statement ${sqlStatementId} has no request`);
  return toSqlStatement(statement, asking, runOf(asking));
}

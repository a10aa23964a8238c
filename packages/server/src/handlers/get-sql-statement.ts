import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import { toSqlStatement } from "@quern/query-run/wire";
import type { Context } from "./context.ts";
import { foundStatement } from "./found.ts";
import type { Service } from "./service.ts";

export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  context: Context,
  { store, operation }: Service,
): Promise<GetSqlStatementResult> {
  const { statement, request, run } = await foundStatement(store.runs, context.principal, sqlStatementId);
  operation.audited(context, "statement.read", { statementId: sqlStatementId, statementHash: statement.statementHash });
  return { sqlStatement: toSqlStatement(statement, request, run) };
}

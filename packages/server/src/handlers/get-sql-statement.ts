import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import { toSqlStatement } from "@quern/query-run/wire";
import type { Context, Service } from "./context.ts";
import { findStatement } from "./lookup.ts";

export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  context: Context,
  { store, telemetry }: Pick<Service, "store" | "telemetry">,
): Promise<GetSqlStatementResult> {
  const { statement, request, run } = await findStatement(store.runs, context.principal, sqlStatementId);
  telemetry.audited(context, "statement.read", { statementId: sqlStatementId, statementHash: statement.statementHash });
  return { sqlStatement: toSqlStatement(statement, request, run) };
}

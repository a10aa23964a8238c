import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import type { Context } from "./context.ts";
import { foundStatement } from "./statement.ts";

export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  { principal }: Context,
): Promise<GetSqlStatementResult> {
  return { sqlStatement: foundStatement(principal, sqlStatementId) };
}

import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import { toSqlStatement } from "@quern/query-run/wire";
import { declaredError } from "../declared-error.ts";
import type { Service } from "../service.ts";
import type { Context } from "./context.ts";

export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  { principal }: Context,
  { store }: Service,
): Promise<GetSqlStatementResult> {
  const statement = await store.statement(principal.tenantId, sqlStatementId);
  if (statement === undefined) throw declaredError("SqlStatementNotFound", { sqlStatementId });
  return { sqlStatement: toSqlStatement(statement) };
}

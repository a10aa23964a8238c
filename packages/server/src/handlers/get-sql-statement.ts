import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import { toSqlStatement } from "@quern/query-run/wire";
import type { Service } from "../service.ts";
import type { Context } from "./context.ts";
import { foundStatement } from "./found.ts";

export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  { principal }: Context,
  { store }: Service,
): Promise<GetSqlStatementResult> {
  const statement = await foundStatement(store, principal, sqlStatementId);
  return { sqlStatement: toSqlStatement(statement) };
}

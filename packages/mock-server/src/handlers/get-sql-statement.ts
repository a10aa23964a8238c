import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import type { RequestRecord } from "@quern/query-run/record";
import { toSqlStatement } from "@quern/query-run/wire";
import { type Context, findRun, findStatement } from "./lookup.ts";

/** Describes the statement by its latest request with a result, or else by its latest request. */
export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  { principal }: Context,
): Promise<GetSqlStatementResult> {
  const { statement, requests } = findStatement(principal, sqlStatementId);
  const runOf = ({ queryRunId }: RequestRecord) => findRun(principal, queryRunId).record;
  const request = requests.findLast((one) => runOf(one).result !== null) ?? requests.at(-1);
  if (request === undefined) throw new Error(`statement without a request: ${sqlStatementId}`);
  return { sqlStatement: toSqlStatement(statement, request, runOf(request)) };
}

import type { GetSqlStatementParams, GetSqlStatementResult } from "@quern/protocol/types";
import type { RequestRecord } from "@quern/query-run/record";
import { toSqlStatement } from "@quern/query-run/wire";
import { type Context, foundRun, foundStatement } from "./found.ts";

/** Answers with the statement as the latest request for it that has a result, or else the latest one, has it. */
export async function getSqlStatement(
  { sqlStatementId }: GetSqlStatementParams,
  { principal }: Context,
): Promise<GetSqlStatementResult> {
  const { statement, requests } = foundStatement(principal, sqlStatementId);
  const runOf = ({ queryRunId }: RequestRecord) => foundRun(principal, queryRunId).record;
  const asking = requests.findLast((one) => runOf(one).result !== null) ?? requests.at(-1);
  if (asking === undefined) throw new Error(`statement ${sqlStatementId} has no request`);
  return { sqlStatement: toSqlStatement(statement, asking, runOf(asking)) };
}

import type { DescribeQueryParams, DescribeQueryResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/sql-limits";
import { describedQuery } from "../statement/query.ts";
import { parameterNames } from "../statement/sql-text.ts";
import { declaredError, invalidParams } from "../wire/contract-methods.ts";
import type { Context } from "./lookup.ts";

export async function describeQuery(params: DescribeQueryParams, { principal }: Context): Promise<DescribeQueryResult> {
  const issues = sqlIssues(params.sql);
  if (issues.length > 0) throw invalidParams(issues);
  const query = describedQuery(params);
  const { failure, result } = await principal.outcomeOf(principal.planFor(query), query);
  if (failure !== undefined) {
    const { name: errorName, message: errorMessage, data: errorData } = failure;
    throw declaredError("InvalidQuery", { errorName, errorMessage, errorData });
  }
  return {
    columns: result.columns.map(({ name, kind, engineType }) => ({ name, type: kind, engineType, nullable: true })),
    parameters: parameterNames(params.sql).map((name) => ({ name, type: null })),
  };
}

import type { DescribeQueryParams, DescribeQueryResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/limits";
import { declaredError, invalidParams } from "../declared-error.ts";
import { defaultSource } from "../namespace.ts";
import { parameterNames } from "../sql-text.ts";
import type { Context } from "./context.ts";

export async function describeQuery(params: DescribeQueryParams, { principal }: Context): Promise<DescribeQueryResult> {
  const issues = sqlIssues(params.sql);
  if (issues.length > 0) throw invalidParams(issues);
  const { sql, dataSource = defaultSource.dataSource } = params;
  const { failure, result } = await principal.outcomeOf({ sql, parameters: null, tags: {}, dataSource });
  if (failure !== undefined) {
    const { name: errorName, message: errorMessage, data: errorData } = failure;
    throw declaredError("InvalidQuery", { errorName, errorMessage, errorData });
  }
  return {
    columns: result.columns.map(({ name, kind, engineType }) => ({ name, type: kind, engineType, nullable: true })),
    parameters: parameterNames(sql).map((name) => ({ name, type: null })),
  };
}

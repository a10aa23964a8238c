import { EngineLostError, StatementError, type StatementFailure } from "@quern/adapter";
import type { DescribeQueryParams, DescribeQueryResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/limits";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { sha256 } from "../common/sha256.ts";
import { columnsShown } from "../sources/column-names.ts";
import type { Context } from "./context.ts";
import { findSource } from "./lookup.ts";
import type { Service } from "./service.ts";
import { withSource } from "./source-query.ts";

export async function describeQuery(
  { sql, dataSource, dataProvider }: DescribeQueryParams,
  context: Context,
  service: Service,
): Promise<DescribeQueryResult> {
  const issues = sqlIssues(sql);
  if (issues.length > 0) throw invalidParams(issues);
  const source = findSource(service.sources, context.principal, dataSource, dataProvider);
  service.telemetry.audited(context, "query.describe", { statementHash: sha256(sql), source: source.name });
  const { columns, parameters } = await withSource(source, service, context, (kind, query, signal) =>
    kind.describe({ ...query, sql, parameters: null }, signal),
  ).catch((error: unknown) => {
    throw invalidQuery(error);
  });
  return {
    // The engine does not tell which columns of a result can be null.
    columns: columnsShown(source, columns).map(({ name, kind, engineType }) => ({
      name,
      type: kind,
      engineType,
      nullable: true,
    })),
    parameters,
  };
}

/** The failure as the document declares it; what is no failure of the statement or the engine stays as it is. */
function invalidQuery(error: unknown): unknown {
  if (error instanceof StatementError) return toInvalidQuery(error.failure);
  if (!(error instanceof EngineLostError)) return error;
  return toInvalidQuery({
    name: "EngineLost",
    message: error.message,
    data: { category: "RESOURCE", retryable: true },
  });
}

function toInvalidQuery({ name, message, data }: StatementFailure): Error {
  return declaredError("InvalidQuery", { errorName: name, errorMessage: message, errorData: data });
}

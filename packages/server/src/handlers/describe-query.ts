import { hash } from "node:crypto";
import { isEngineLostError, isStatementError, type StatementFailure } from "@quern/adapter";
import type { DescribeQueryParams, DescribeQueryResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/sql-limits";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import type { Principal } from "../identity/principal.ts";
import { columnsShown } from "../sources/catalog.ts";
import type { Context, Service } from "./context.ts";
import { findSource } from "./lookup.ts";
import { failureShown } from "./shown-failure.ts";
import { withSource } from "./source-query.ts";

export async function describeQuery(
  { sql, dataSource, dataProvider }: DescribeQueryParams,
  context: Context,
  service: Pick<Service, "inspections" | "limits" | "limitsOf" | "sources" | "telemetry">,
): Promise<DescribeQueryResult> {
  const issues = sqlIssues(sql);
  if (issues.length > 0) throw invalidParams(issues);
  const source = findSource(service.sources, context.principal, dataSource, dataProvider);
  service.telemetry.audited(context, "query.describe", { statementHash: hash("sha256", sql), source: source.name });
  const { columns, parameters, hasRowNames } = await withSource(source, service, context, (kind, query, signal) =>
    kind.describe({ ...query, sql, parameters: null }, signal),
  ).catch((error: unknown) => {
    throw invalidQuery(error, context.principal);
  });
  if (hasRowNames === true && !context.principal.scopes.has("read")) throw toInvalidQuery(rowNamesRefused);
  return {
    // The engine does not report which columns of a result can be null.
    columns: columnsShown(source, columns).map(({ name, kind, engineType }) => ({
      name,
      type: kind,
      engineType,
      nullable: true,
    })),
    parameters,
  };
}

/** Converts an error of the statement or the engine to InvalidQuery; returns another error unchanged. */
function invalidQuery(error: unknown, principal: Principal): unknown {
  if (isStatementError(error)) return toInvalidQuery(failureShown(error.failure, principal));
  if (!isEngineLostError(error)) return error;
  return toInvalidQuery({
    name: "EngineLost",
    message: error.message,
    data: { category: "RESOURCE", retryable: true },
  });
}

const rowNamesRefused: StatementFailure = {
  name: "AuthorizationError",
  message:
    "Missing scope read: values of rows can be names or types of the columns, as in a PIVOT without IN; write the values into the statement, or use a key with the scope read.",
  data: { category: "USER", retryable: false },
};

function toInvalidQuery({ name, message, data }: StatementFailure): Error {
  return declaredError("InvalidQuery", { errorName: name, errorMessage: message, errorData: data });
}

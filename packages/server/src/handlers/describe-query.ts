import { type Description, EngineLostError, type Source, StatementError } from "@quern/adapter";
import type { DescribeQueryParams, DescribeQueryResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/limits";
import { deadlineAfter } from "../common/deadline.ts";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { sha256 } from "../common/sha256.ts";
import type { Context } from "./context.ts";
import { foundSource } from "./found.ts";
import type { Service } from "./service.ts";

export async function describeQuery(
  { sql, dataSource, dataProvider }: DescribeQueryParams,
  context: Context,
  service: Service,
): Promise<DescribeQueryResult> {
  const issues = sqlIssues(sql);
  if (issues.length > 0) throw invalidParams(issues);
  const source = foundSource(service.sources, context.principal, dataSource, dataProvider);
  service.operation.audited(context, "query.describe", { statementHash: sha256(sql), source: source.name });
  const { columns, parameters } = await describe(sql, source, service, context);
  return {
    // The engine does not tell which columns of a result can be null.
    columns: columns.map(({ name, kind, engineType }) => ({ name, type: kind, engineType, nullable: true })),
    parameters,
  };
}

async function describe(
  sql: string,
  source: Source,
  service: Service,
  { principal, signal }: Context,
): Promise<Description> {
  const deadline = deadlineAfter(service.limits.describeTimeoutSeconds);
  const either = AbortSignal.any([signal, deadline]);
  try {
    const leave = await service.describing.take(principal.tenantId, either);
    return await prepare(sql, source, service, either).finally(leave);
  } catch (error) {
    if (error instanceof StatementError) throw invalidQuery(error.failure);
    if (!deadline.aborted && !(error instanceof EngineLostError)) throw error;
    const message = deadline.aborted ? "The engine could not prepare the statement in time." : error;
    throw invalidQuery({
      name: "EngineLost",
      message: String(message),
      data: { category: "RESOURCE", retryable: true },
    });
  }
}

async function prepare(
  sql: string,
  source: Source,
  { executor, sources }: Service,
  signal: AbortSignal,
): Promise<Description> {
  const { databases, release } = await sources.hold(source);
  return executor.describe({ sql, parameters: null, source, databases }, signal).finally(release);
}

function invalidQuery({ name, message, data }: StatementError["failure"]): Error {
  return declaredError("InvalidQuery", { errorName: name, errorMessage: message, errorData: data });
}

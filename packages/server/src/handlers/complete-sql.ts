import { hash } from "node:crypto";
import type { CompleteSqlParams, CompleteSqlResult } from "@quern/protocol/types";
import { sqlIssues } from "@quern/query-run/sql-limits";
import { invalidParams } from "../common/declared-error.ts";
import { withMethodErrors } from "../common/method-errors.ts";
import type { Context, Service } from "./context.ts";
import { findSource } from "./lookup.ts";
import { withSource } from "./source-query.ts";

export async function completeSql(
  { sql, dataSource, dataProvider, ...at }: CompleteSqlParams,
  context: Context,
  service: Pick<Service, "inspections" | "limits" | "limitsOf" | "sources" | "telemetry">,
): Promise<CompleteSqlResult> {
  // Editors request completions in an empty statement too.
  const issues = sql.trim() === "" ? [] : sqlIssues(sql);
  if (issues.length > 0) throw invalidParams(issues);
  const position = Math.min(at.position ?? sql.length, sql.length);
  const source = findSource(service.sources, context.principal, dataSource, dataProvider);
  service.telemetry.audited(context, "query.complete", {
    statementHash: hash("sha256", sql),
    source: source.name,
  });
  const complete = () =>
    withSource(source, service, context, async (kind, query, signal) =>
      kind.complete?.({ ...query, sql }, position, signal),
    );
  const completions = await withMethodErrors(complete, source.name);
  return { completions: (completions ?? []).map(({ text, start, kind }) => ({ text, start, end: position, kind })) };
}

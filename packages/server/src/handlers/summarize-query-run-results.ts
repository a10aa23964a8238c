import type { SummaryTask } from "@quern/duckdb";
import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import { summarizeQueryRunResultsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { SummarizeQueryRunResultsParams } from "@quern/protocol/types";
import { summaryPlan } from "@quern/query-run/summary";
import { resultName } from "../results/result-store.ts";
import { openResult } from "../runs/open-result.ts";
import type { Context, Service } from "./context.ts";
import { findResult, findRun } from "./lookup.ts";
import { accepted, findView, missingResult, type PageDependencies, withDeclaredErrors } from "./result-page.ts";

export async function summarizeQueryRunResults(
  { queryRunId, filters, groupBy, measures, limit = defaults.limit }: SummarizeQueryRunResultsParams,
  { principal, signal }: Context,
  service: PageDependencies & Pick<Service, "store">,
): Promise<Preencoded> {
  const run = await findRun(service.store.runs, principal, queryRunId);
  const { columns, rowCount } = findResult(run, service.clock.now());
  const plan = accepted(summaryPlan(columns, { groupBy, measures }), columns);
  const { conditions } = findView(columns, { filters });
  const opened = await openResult(run, service);
  if (opened === undefined) throw missingResult(run, service.clock.now());
  const task: SummaryTask = {
    result: resultName(run),
    paths: opened.paths,
    columns,
    rowCount,
    ...plan,
    maxGroups: limit,
    page: { number: 1, size: 0 },
    format: "csv",
    rowIndex: false,
    conditions,
    sortKeys: [],
    maxBytes: service.limits.maxPageBytes,
  };
  const summary = service.reader.summary(run.tenantId, task, signal);
  const slowPart = conditions.length > 0 ? "/filters" : "/groupBy";
  return preencoded([await withDeclaredErrors(summary, slowPart, service.limits).finally(opened.release)]);
}

import { getQueryRunResultsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { GetQueryRunResultsParams, GetQueryRunResultsResult } from "@quern/protocol/types";
import { rowKeys } from "@quern/query-run/columns";
import { pageExcess, pageRange, requestedPage } from "@quern/query-run/page";
import { columnMembers } from "@quern/query-run/view";
import { timestamp, toQueryRun } from "@quern/query-run/wire";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import { viewRows } from "../results/view.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError, invalidParams } from "../wire/contract-methods.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

const supported = ["csv", "json"];

export async function getQueryRunResults(
  params: GetQueryRunResultsParams,
  { principal }: Context,
): Promise<GetQueryRunResultsResult> {
  const run = findRun(principal, params.queryRunId);
  const { format = defaults.format } = params;
  if (!supported.includes(format)) throw declaredError("ResultFormatNotSupported", { supported });
  await run.update();
  return resultPage(run, params, principal);
}

/**
 * Returns a page of a run. The caller has checked `params.format`.
 * @throws MethodError the errors that `getQueryRunResults` declares for a page
 */
export function resultPage(
  run: MockRun,
  params: Omit<GetQueryRunResultsParams, "queryRunId">,
  principal: NamespaceState,
): GetQueryRunResultsResult {
  const { format = defaults.format } = params;
  const requested = requestedPage(params.page);
  if ("issue" in requested) throw invalidParams([requested.issue]);
  const { columns, rows: all } = findResult(run, principal.clock.now());
  const view = viewRows({ columns, rows: all }, params);
  const { offset, rowCount, page } = pageRange(requested, view.length);
  const arrays = view.slice(offset, offset + rowCount);
  const { columnNames, ...described } = columnMembers(columns);
  const rows = format === "csv" ? arrays : objectsOf(columnNames, arrays);
  refuseLargePage(rows, offset, principal.maxPageBytes);
  return {
    columnNames,
    ...described,
    rows,
    page,
    sql: run.query.sql,
    format,
    ...(run.record.expiresAt !== null && { expiresAt: timestamp(run.record.expiresAt) }),
    originalQueryRun: toQueryRun(run.record, principal.clock.now()),
    redirectedToQueryRun: null,
  };
}

function objectsOf(names: readonly string[], rows: readonly (readonly unknown[])[]): Record<string, unknown>[] {
  const keys = rowKeys(names);
  // A column may be named `__proto__`, which an assignment would not set as a member.
  return rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at]])));
}

function refuseLargePage(rows: readonly unknown[], offset: number, maxBytes: number): void {
  let bytes = "[]".length;
  for (const [rowCount, row] of rows.entries()) {
    const rowBytes = new TextEncoder().encode(`${JSON.stringify(row)},`).length;
    bytes += rowBytes;
    if (bytes <= maxBytes) continue;
    const excess = pageExcess(offset, { rowCount, excessBytes: rowBytes }, maxBytes);
    throw declaredError("maxPageSize" in excess ? "RequestedPageSizeTooLarge" : "RowTooLarge", excess);
  }
}

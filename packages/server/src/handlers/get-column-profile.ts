import { type Preencoded, preencoded } from "@quern/json-rpc/handler";
import type { GetColumnProfileParams } from "@quern/protocol/types";
import { columnIndex } from "@quern/query-run/view";
import { resultName } from "../results/result-store.ts";
import { openResult } from "../runs/open-result.ts";
import type { Context, Service } from "./context.ts";
import { findResult, findRun } from "./lookup.ts";
import { findView, missingResult, type PageDependencies, unknownColumn, withDeclaredErrors } from "./result-page.ts";

export async function getColumnProfile(
  { queryRunId, column: name, filters }: GetColumnProfileParams,
  { principal, signal }: Context,
  service: PageDependencies & Pick<Service, "store">,
): Promise<Preencoded> {
  const run = await findRun(service.store.runs, principal, queryRunId);
  const { columns, rowCount } = findResult(run, service.clock.now());
  const index = columnIndex(columns, name);
  const column = columns[index];
  if (column === undefined) throw unknownColumn({ unknownColumn: name, member: "column" }, columns);
  const { conditions } = findView(columns, { filters });
  const opened = await openResult(run, service);
  if (opened === undefined) throw missingResult(run, service.clock.now());
  const task = {
    result: resultName(run),
    paths: opened.paths,
    columns,
    column: index,
    rowCount,
    page: { number: 1, size: 0 },
    format: "csv",
    rowIndex: false,
    conditions,
    sortKeys: [],
    maxBytes: service.limits.maxPageBytes,
  } as const;
  const profile = service.reader.profile(run.tenantId, task, signal);
  const members = await withDeclaredErrors(
    profile,
    conditions.length > 0 ? "/filters" : "/column",
    service.limits,
  ).finally(opened.release);
  const described = { column: column.name, type: column.kind, engineType: column.engineType };
  return preencoded([`${JSON.stringify(described).slice(0, -1)},${members}}`]);
}

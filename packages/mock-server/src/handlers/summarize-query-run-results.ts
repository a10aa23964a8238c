import { summarizeQueryRunResultsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { SummarizeQueryRunResultsParams, SummarizeQueryRunResultsResult } from "@quern/protocol/types";
import { summaryMembers, summaryPlan } from "@quern/query-run/summary";
import { keyOf, measureOf } from "../results/groups.ts";
import { accepted, compareValues, viewRows } from "../results/view.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

export async function summarizeQueryRunResults(
  { queryRunId, filters, groupBy, measures, limit = defaults.limit }: SummarizeQueryRunResultsParams,
  { principal }: Context,
): Promise<SummarizeQueryRunResultsResult> {
  const run = findRun(principal, queryRunId);
  await run.update();
  const result = findResult(run, principal.clock.now());
  const { columns } = result;
  const plan = accepted(summaryPlan(columns, { groupBy, measures }), columns);
  const rows = viewRows(result, { filters });
  const keys = plan.groupBy.map((group) => keyOf(rows, columns, group));
  const groups = new Map<string, { readonly ranks: readonly unknown[]; readonly rows: (readonly unknown[])[] }>();
  for (const row of rows) {
    const ranks = keys.map(({ rank }) => rank(row));
    const id = JSON.stringify(ranks);
    const group = groups.get(id) ?? { ranks, rows: [] };
    group.rows.push(row);
    groups.set(id, group);
  }
  const sorted = [...groups.values()].sort((a, b) => {
    for (const [at, { kind }] of keys.entries()) {
      const order = compareValues(a.ranks[at], b.ranks[at], kind);
      const difference = order ?? Number(a.ranks[at] === null) - Number(b.ranks[at] === null);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return {
    rowCount: rows.length,
    groupCount: groups.size,
    ...summaryMembers(
      columns,
      plan,
      keys.map(({ bins }) => bins),
      true,
    ),
    groups: sorted
      .slice(0, limit)
      .map(({ ranks, rows }) => [
        ...keys.map(({ shown }, at) => shown(ranks[at] ?? null)),
        ...plan.measures.map((measure) => measureOf(rows, columns, measure)),
      ]),
  };
}

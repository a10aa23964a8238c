import type { GetColumnProfileParams, GetColumnProfileResult } from "@quern/protocol/types";
import { maxFrequentValues } from "@quern/query-run/column-profile";
import { columnIndex } from "@quern/query-run/view";
import { binOf, cut, type Points, pointsOf } from "../results/points.ts";
import { compareValues, unknownColumn, viewRows } from "../results/view.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

export async function getColumnProfile(
  { queryRunId, column: name, filters }: GetColumnProfileParams,
  { principal }: Context,
): Promise<GetColumnProfileResult> {
  const run = findRun(principal, queryRunId);
  await run.update();
  const result = findResult(run, principal.clock.now());
  const index = columnIndex(result.columns, name);
  const column = result.columns[index];
  if (column === undefined) throw unknownColumn({ unknownColumn: name, member: "column" }, result.columns);
  const { kind, engineType } = column;
  const rows = viewRows(result, { filters });
  const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null);
  const compare = (a: unknown, b: unknown) => compareValues(a, b, kind) ?? 0;
  const sorted = values.toSorted(compare);
  const isOrdered = kind === "number" || kind === "date" || kind === "string";
  const counts = new Map<string, { readonly value: unknown; count: number }>();
  for (const value of sorted) {
    const entry = counts.get(JSON.stringify(value)) ?? { value, count: 0 };
    entry.count += 1;
    counts.set(JSON.stringify(value), entry);
  }
  const frequent = [...counts.values()].toSorted((a, b) => b.count - a.count || compare(a.value, b.value));
  const numbers = kind === "number" ? values.map(Number).filter(Number.isFinite) : [];
  return {
    column: column.name,
    type: kind,
    engineType,
    rowCount: rows.length,
    nullCount: rows.length - values.length,
    distinctCount: counts.size,
    isDistinctExact: true,
    min: isOrdered ? cut(sorted[0] ?? null).value : null,
    max: isOrdered ? cut(sorted.at(-1) ?? null).value : null,
    mean: numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length,
    frequentValues: frequent.slice(0, maxFrequentValues).map(({ value, count }) => ({ ...cut(value), count })),
    bins: binsOf(values, pointsOf(values, column)),
  };
}

function binsOf(values: readonly unknown[], points: Points): GetColumnProfileResult["bins"] {
  const places = values
    .map(points.of)
    .filter(Number.isFinite)
    .map((point) => binOf(points, point));
  return points.bounds.slice(0, -1).map((from, at) => ({
    from: points.shown(from),
    to: points.shown(points.bounds[at + 1] ?? from),
    count: places.filter((place) => place === at).length,
  }));
}

import type { GetColumnProfileParams, GetColumnProfileResult } from "@quern/protocol/types";
import { binEdges, maxFrequentValues, maxTextLength, numberEdges } from "@quern/query-run/column-profile";
import { columnIndex } from "@quern/query-run/view";
import { compareValues, textOf, viewRows } from "../results/view.ts";
import { declaredError } from "../wire/contract-methods.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

const dayMs = 86_400_000;

export async function getColumnProfile(
  { queryRunId, column: name, filters }: GetColumnProfileParams,
  { principal }: Context,
): Promise<GetColumnProfileResult> {
  const run = findRun(principal, queryRunId);
  await run.update();
  const result = findResult(run, principal.clock.now());
  const index = columnIndex(result.columns, name);
  const column = result.columns[index];
  if (column === undefined)
    throw declaredError("InvalidSortColumn", { column: name, columns: result.columns.map((each) => each.name) });
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
    bins: kind === "date" ? timeBins(values, engineType === "DATE") : numberBins(numbers),
  };
}

/** Returns a value as a profile shows it: numbers and booleans as they are, others as text of at most 200 characters. */
function cut(value: unknown): { readonly value: unknown; readonly isCut: boolean } {
  if (value === null || typeof value === "number" || typeof value === "boolean") return { value, isCut: false };
  const characters = [...textOf(value)];
  return { value: characters.slice(0, maxTextLength).join(""), isCut: characters.length > maxTextLength };
}

function numberBins(values: readonly number[]): GetColumnProfileResult["bins"] {
  if (values.length === 0) return [];
  const [low, high] = boundsOf(values);
  const areIntegers = values.every(Number.isSafeInteger);
  const edges = areIntegers ? binEdges(BigInt(low), BigInt(high)).map(Number) : numberEdges(low, high);
  return binsOf(values, [...edges, high], (edge) => edge);
}

function timeBins(values: readonly unknown[], areDays: boolean): GetColumnProfileResult["bins"] {
  const times = values.map((value) => Date.parse(String(value))).filter(Number.isFinite);
  if (times.length === 0) return [];
  const unit = areDays ? dayMs : 1;
  const points = times.map((time) => Math.floor(time / unit));
  const [low, high] = boundsOf(points);
  const edges = binEdges(BigInt(low), BigInt(high)).map(Number);
  return binsOf(points, [...edges, high], (edge) => {
    const text = new Date(edge * unit).toISOString();
    return areDays ? text.slice(0, "2026-11-20".length) : text;
  });
}

function boundsOf(values: readonly number[]): readonly [low: number, high: number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/** @param edges lower bounds of the bins, and the highest point */
function binsOf(
  points: readonly number[],
  edges: readonly number[],
  shown: (edge: number) => unknown,
): GetColumnProfileResult["bins"] {
  return edges.slice(0, -1).map((from, at) => {
    const to = edges[at + 1] ?? from;
    const isLast = at === edges.length - 2;
    const count = points.filter((point) => point >= from && (isLast || point < to)).length;
    return { from: shown(from), to: shown(to), count };
  });
}

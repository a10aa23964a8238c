import type { Filter, SortBy } from "@quern/protocol/types";
import type { ColumnKind } from "@quern/query-run/record";
import { declaredError, invalidParams } from "../wire/declared-error.ts";
import { compareValues, likePattern } from "./comparison.ts";
import type { ResultSet } from "./result-set.ts";

type Row = readonly unknown[];
type Condition = (row: Row) => boolean;

/** How a result is looked at: which rows, in which order. */
export interface ViewOptions {
  readonly filters?: readonly Filter[] | null | undefined;
  readonly sortBy?: readonly SortBy[] | null | undefined;
}

/** The rows that meet all filters, in the order asked for. @throws MethodError for a column that there is not. */
export function viewRows(result: ResultSet, { filters, sortBy }: ViewOptions): readonly Row[] {
  const conditions = (filters ?? []).flatMap((filter, position) => conditionsOf(result, filter, position));
  const rows = result.rows.filter((row) => conditions.every((holds) => holds(row)));
  const orders = (sortBy ?? []).map((sort) => orderOf(result, sort));
  if (orders.length === 0) return rows;
  return rows.sort((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** The column of a name, in any case; one that is written exactly so is preferred. */
function columnAt({ columns }: ResultSet, name: string): { readonly at: number; readonly kind: ColumnKind } {
  const exact = columns.findIndex((column) => column.name === name);
  const at = exact >= 0 ? exact : columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());
  const found = columns[at];
  if (found !== undefined) return { at, kind: found.kind };
  throw declaredError("InvalidSortColumn", { column: name, columns: columns.map((column) => column.name) });
}

/** Nulls come last in both directions. */
function orderOf(result: ResultSet, { column, direction }: SortBy): (a: Row, b: Row) => number {
  const { at, kind } = columnAt(result, column);
  const sign = direction === "asc" ? 1 : -1;
  return (a, b) => {
    const order = compareValues(a[at], b[at], kind);
    return order === undefined ? Number(a[at] === null) - Number(b[at] === null) : sign * order;
  };
}

const comparisons = {
  eq: (order: number) => order === 0,
  neq: (order: number) => order !== 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const;

const comparisonNames = Object.keys(comparisons) as (keyof typeof comparisons)[]; // the table's own keys

/**
 * The conditions of one filter. As in SQL, a null meets no comparison; `eq`, `neq`, `in` and `notIn` can ask for nulls.
 * The Python client sends every comparison, the unused ones as null: a null is asked for only where nothing else is.
 */
function conditionsOf(result: ResultSet, filter: Filter, position: number): Condition[] {
  const { at, kind } = columnAt(result, filter.column);
  const compare = (row: Row, value: unknown) => compareValues(row[at], value, kind);
  const isAmong = (row: Row, values: readonly unknown[]) =>
    values.some((value) => (value === null ? row[at] === null : compare(row, value) === 0));
  const conditions: Condition[] = [];
  const nulls: Condition[] = [];
  for (const name of comparisonNames) {
    const value = filter[name];
    if (value === undefined) continue;
    if (value === null) nulls.push(nullCondition(name, at));
    else conditions.push((row) => holds(compare(row, value), comparisons[name]));
  }
  const { like, in: among, in_, notIn } = filter;
  if (typeof like === "string") {
    const pattern = likePattern(like);
    conditions.push((row) => row[at] !== null && pattern.test(String(row[at])));
  }
  for (const values of [among, in_]) if (values) conditions.push((row) => isAmong(row, values));
  if (notIn) conditions.push((row) => !isAmong(row, notIn));
  if (conditions.length > 0) return conditions;
  const [askedForNull] = nulls;
  if (askedForNull !== undefined) return [askedForNull];
  throw invalidParams([{ pointer: `/filters/${position}`, expected: "at least one comparison", received: "none" }]);
}

function nullCondition(name: keyof typeof comparisons, at: number): Condition {
  if (name === "eq") return (row) => row[at] === null;
  if (name === "neq") return (row) => row[at] !== null;
  return () => false;
}

function holds(order: number | undefined, test: (order: number) => boolean): boolean {
  return order !== undefined && test(order);
}

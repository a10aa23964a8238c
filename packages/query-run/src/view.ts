import type { Filter, FilterGroup, Scalar, SortBy } from "@quern/protocol/types";
import { exactNumberOf, isNegativeZero, type ResultColumn } from "./record.ts";
import type { LimitIssue } from "./sql-limits.ts";

/** Comparison of the column at `index` with one value, or with several for `in` and `notIn`. */
export interface Condition {
  readonly index: number;
  readonly operator: "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "like" | "ilike" | "in" | "notIn";
  readonly values: readonly Scalar[];
}

/** Lists of conditions; a row must meet all conditions of one list. */
export interface ConditionGroup {
  readonly or: readonly (readonly Condition[])[];
}

/** Column to sort by. */
export interface SortKey {
  readonly index: number;
  readonly descending: boolean;
}

/** Filters and order of a call, by column index. A row must meet all conditions and groups. */
export interface ResultView {
  readonly conditions: readonly (Condition | ConditionGroup)[];
  readonly sortKeys: readonly SortKey[];
}

/** Reason why a view is refused. */
export type ViewRefusal =
  /** Name of a column that the result does not have, and the member of the call that names it. */
  { readonly unknownColumn: string; readonly member: string } | { readonly issue: LimitIssue };

/** Returns true for a call that is refused. */
export function isRefusal(plan: object): plan is ViewRefusal {
  return "issue" in plan || "unknownColumn" in plan;
}

/** Returns the members of a page that describe its columns. */
export function columnMembers(columns: readonly ResultColumn[]) {
  return {
    columnNames: columns.map(({ name }) => name),
    columnTypes: columns.map(({ kind }) => kind),
    columnEngineTypes: columns.map(({ engineType }) => engineType),
  };
}

/** Members of a call that filter and sort rows. */
export interface ViewMembers {
  readonly filters?: readonly (Filter | FilterGroup)[] | null | undefined;
  readonly sortBy?: readonly SortBy[] | null | undefined;
}

/** Maximum number of conditions of a call, those of groups included: the time to plan a statement grows with them. */
const maxFilters = 64;

/** Replaces the column names in filters and sort order by column indexes. Returns the reason if the call is invalid. */
export function resultView(
  columns: readonly ResultColumn[],
  { filters, sortBy }: ViewMembers,
): ResultView | ViewRefusal {
  const count = (filters ?? []).reduce((sum, filter) => sum + ("or" in filter ? filter.or.length : 1), 0);
  if (count > maxFilters) {
    const expected = `at most ${maxFilters} conditions, those of groups included`;
    return { issue: { pointer: "/filters", expected, received: `${count} conditions` } };
  }
  const conditions: (Condition | ConditionGroup)[] = [];
  for (const [position, filter] of (filters ?? []).entries()) {
    const isGroup = "or" in filter;
    const resolved: (readonly Condition[])[] = [];
    for (const [place, each] of (isGroup ? filter.or : [filter]).entries()) {
      const index = columnIndex(columns, each.column);
      if (index < 0) return { unknownColumn: each.column, member: "filters" };
      const found = conditionsOf(each, index);
      const pointer = isGroup ? `/filters/${position}/or/${place}` : `/filters/${position}`;
      if (found.length === 0) return { issue: { pointer, expected: "at least one comparison", received: "none" } };
      resolved.push(found);
    }
    conditions.push(...(isGroup ? [{ or: resolved }] : resolved.flat()));
  }
  const sortKeys: SortKey[] = [];
  for (const { column, direction } of sortBy ?? []) {
    const index = columnIndex(columns, column);
    if (index < 0) return { unknownColumn: column, member: "sortBy" };
    sortKeys.push({ index, descending: direction === "desc" });
  }
  return { conditions, sortKeys };
}

const comparisons = ["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike"] as const;

/** Returns the conditions of one filter; none if it has no comparison. */
function conditionsOf(filter: Filter, index: number): readonly Condition[] {
  const single = comparisons.flatMap((operator): Condition[] => {
    const value = filter[operator];
    if (value === undefined || ((operator === "like" || operator === "ilike") && value === null)) return [];
    return [{ index, operator, values: [comparedValue(value)] }];
  });
  const among = (operator: "in" | "notIn", values: readonly Scalar[] | null | undefined): Condition[] =>
    values === undefined || values === null ? [] : [{ index, operator, values: values.map(comparedValue) }];
  // The published Python client sends unused comparisons as null. So a null is ignored beside another comparison; if
  // all are null, the first one counts. A null of `like`, `ilike`, `in` or `notIn` never counts.
  const conditions = [
    ...single.filter(({ values }) => values[0] !== null),
    ...among("in", filter.in),
    ...among("in", filter.in_),
    ...among("notIn", filter.notIn),
  ];
  return conditions.length > 0 ? conditions : single.slice(0, 1);
}

/** Returns a number that a double cannot hold as text, as a page shows it. -0.0 stays a number. */
function comparedValue(value: Scalar): Scalar {
  const exact = exactNumberOf(value);
  if (exact === undefined) return value;
  return isNegativeZero(exact) ? -0 : exact;
}

/** Returns the index of the first column with exactly this name, else with this name in any case; -1 without one. */
export function columnIndex(columns: readonly ResultColumn[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name);
  if (exact >= 0) return exact;
  return columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());
}

import type { Condition, Scalar, SortKey } from "@quern/duckdb";
import type { Filter, SortBy } from "@quern/protocol/types";
import type { ResultColumn } from "@quern/query-run/record";
import { declaredError, invalidParams } from "../common/declared-error.ts";

export interface ResultView {
  readonly conditions: readonly Condition[];
  readonly sortKeys: readonly SortKey[];
}

const comparisons = ["eq", "neq", "gt", "gte", "lt", "lte", "like"] as const;

/**
 * Filters and order with their columns found.
 * @throws {MethodError} InvalidSortColumn for a column the result does not have
 */
export function resultView(
  columns: readonly ResultColumn[],
  filters: readonly Filter[],
  sortBy: readonly SortBy[],
): ResultView {
  return {
    conditions: filters.flatMap((filter, index) => conditionsOf(filter, columnIndex(columns, filter.column), index)),
    sortKeys: sortBy.map(({ column, direction }) => ({
      index: columnIndex(columns, column),
      descending: direction === "desc",
    })),
  };
}

function conditionsOf(filter: Filter, index: number, position: number): Condition[] {
  const single = comparisons.flatMap((operator): Condition[] => {
    const value = filter[operator];
    if (value === undefined || (operator === "like" && value === null)) return [];
    return [{ index, operator, values: [value] }];
  });
  const among = (operator: "in" | "notIn", values: readonly Scalar[] | null | undefined): Condition[] =>
    values === undefined || values === null ? [] : [{ index, operator, values }];
  // The Python client sends every comparison, the unused ones as null: a null is asked for only where nothing else is.
  const conditions = [
    ...single.filter(({ values }) => values[0] !== null),
    ...among("in", filter.in),
    ...among("in", filter.in_),
    ...among("notIn", filter.notIn),
  ];
  if (conditions.length > 0) return conditions;
  const [askedForNull] = single;
  if (askedForNull !== undefined) return [askedForNull];
  throw invalidParams([{ pointer: `/filters/${position}`, expected: "at least one comparison", received: "none" }]);
}

/** A name matches as it is written, else in any case; of repeated names the first is meant. */
function columnIndex(columns: readonly ResultColumn[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name);
  if (exact >= 0) return exact;
  const index = columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());
  if (index < 0) throw declaredError("InvalidSortColumn", { column: name, columns: columns.map((each) => each.name) });
  return index;
}

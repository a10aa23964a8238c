import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import {
  type Condition,
  type ConditionGroup,
  isRefusal,
  resultView,
  type SortKey,
  type ViewMembers,
  type ViewRefusal,
} from "@quern/query-run/view";
import { declaredError, invalidParams } from "../wire/contract-methods.ts";
import { likeTest } from "./like.ts";
import type { ResultSet } from "./result-set.ts";

type Row = readonly unknown[];

/** Returns the rows that pass all filters, sorted. @throws MethodError InvalidSortColumn for an unknown column, InvalidParams for a filter without a comparison */
export function viewRows({ columns, rows: all }: ResultSet, members: ViewMembers): readonly Row[] {
  const view = accepted(resultView(columns, members), columns);
  const kindOf = (index: number): ColumnKind => columns[index]?.kind ?? "unknown";
  const passes = allOf(view.conditions, kindOf);
  const rows = all.filter(passes);
  const orders = view.sortKeys.map((key) => orderOf(key, kindOf(key.index)));
  if (orders.length === 0) return rows;
  return rows.sort((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** Returns the plan of a call. @throws MethodError InvalidSortColumn for an unknown column, InvalidParams for other refusals */
export function accepted<Plan extends object>(plan: Plan | ViewRefusal, columns: readonly ResultColumn[]): Plan {
  if (!isRefusal(plan)) return plan;
  throw "issue" in plan ? invalidParams([plan.issue]) : unknownColumn(plan, columns);
}

/** Returns the error of a name that no column of a result has. */
export function unknownColumn(
  { unknownColumn: column, member }: { readonly unknownColumn: string; readonly member: string },
  columns: readonly ResultColumn[],
): Error {
  return declaredError("InvalidSortColumn", { member, column, columns: columns.map(({ name }) => name) });
}

/** Returns the test that a row meets all conditions and groups. */
function allOf(
  conditions: readonly (Condition | ConditionGroup)[],
  kindOf: (index: number) => ColumnKind,
): (row: Row) => boolean {
  const tests = conditions.map((each) => {
    if (!("or" in each)) return testOf(each, kindOf(each.index));
    const some = each.or.map((conditions) => allOf(conditions, kindOf));
    return (row: Row) => some.some((passes) => passes(row));
  });
  return (row) => tests.every((passes) => passes(row));
}

/** Returns the comparison of a sort key. Nulls are last in both directions. */
function orderOf({ index, descending }: SortKey, kind: ColumnKind): (a: Row, b: Row) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const order = compareValues(a[index], b[index], kind);
    return order === undefined ? Number(a[index] === null) - Number(b[index] === null) : sign * order;
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

/**
 * Returns the test of a condition. A null in the column passes no comparison, with three exceptions: `eq` with null,
 * `in` with a null among the values, and `notIn` without one. `neq` with null selects all other values.
 */
function testOf({ index, operator, values }: Condition, kind: ColumnKind): (row: Row) => boolean {
  const compare = (row: Row, value: unknown) => compareValues(row[index], value, kind);
  const isAmong = (row: Row) =>
    values.some((value) => (value === null ? row[index] === null : compare(row, value) === 0));
  if (operator === "in") return isAmong;
  if (operator === "notIn") return (row) => !isAmong(row);
  const [value = null] = values;
  if (operator === "like" || operator === "ilike") {
    const matches = likeTest(String(value), operator === "ilike");
    return (row) => {
      const value = row[index] ?? null;
      return value !== null && matches(textOf(value));
    };
  }
  if (value !== null) return (row) => holds(compare(row, value), comparisons[operator]);
  if (operator === "eq") return (row) => row[index] === null;
  return operator === "neq" ? (row) => row[index] !== null : () => false;
}

function holds(order: number | undefined, test: (order: number) => boolean): boolean {
  return order !== undefined && test(order);
}

/** Compares two values of a column as an engine does. Returns a negative number, zero, a positive one, or undefined if one is null. */
export function compareValues(a: unknown, b: unknown, kind: ColumnKind): number | undefined {
  if (a === null || a === undefined || b === null || b === undefined) return undefined;
  if (kind !== "number" && typeof a === "string" && typeof b === "string") return ordering(a, b);
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return ordering(left, right);
  return ordering(textOf(a), textOf(b));
}

function ordering<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the number of a value; also of a string, which replaces a number that a double cannot represent. */
function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/^[+-]?\d+$/.test(value)) return BigInt(value);
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** Returns the text of a value: a string itself, else its JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

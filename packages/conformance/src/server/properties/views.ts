import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { DocumentMethod } from "../document.ts";
import { areEqual, shortJson, valueAt } from "../json.ts";
import type { Property } from "./property.ts";

type Row = readonly unknown[];
type Comparison = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notIn";

/** Filters, sort order, page and format of a request for rows. */
interface View {
  readonly page: { readonly number?: number; readonly offset?: number; readonly size: number };
  readonly format: "csv" | "json";
  /** Index of a column, modulo the number of columns. */
  readonly sortBy: readonly { readonly column: number; readonly direction: "asc" | "desc" }[];
  /** Compares a column with its value in a row. The indexes are modulo the numbers of columns and rows. */
  readonly filters: readonly { readonly column: number; readonly row: number; readonly by: Comparison }[];
}

/** A page of filtered and sorted rows equals that part of the whole result, which this test computes. */
export const views = ({ name: method }: DocumentMethod): Property<View> => ({
  id: "fuzz/views",
  level: "MUST",
  profile: "service",
  rule: "A page of filtered and sorted rows equals that part of the whole result.",
  source: "/methods/2",
  values() {
    const at = fc.nat(7);
    const by = fc.constantFrom<Comparison[]>("eq", "neq", "gt", "gte", "lt", "lte", "in", "notIn");
    return fc.record({
      page: fc.oneof(
        fc.record({ number: fc.integer({ min: 1, max: 4 }), size: fc.nat(4) }),
        fc.record({ offset: fc.nat(9), size: fc.nat(4) }),
      ),
      format: fc.constantFrom("csv", "json"),
      sortBy: fc.array(fc.record({ column: at, direction: fc.constantFrom("asc", "desc") }), { maxLength: 2 }),
      filters: fc.array(fc.record({ column: at, row: at, by }), { maxLength: 2 }),
    });
  },
  async holds({ page, format, sortBy, filters }, { connection, known }) {
    const { queryRunId } = known;
    const whole = await connection.call(method, { queryRunId });
    const names = list(valueAt(whole.result, "/columnNames")).map(String);
    const all = list(valueAt(whole.result, "/rows")).map(list);
    const name = (column: number) => names[column % names.length] ?? "";
    const value = (row: number, column: number) => all[row % all.length]?.[column % names.length];
    const sent = {
      queryRunId,
      page,
      format,
      sortBy: sortBy.map(({ column, direction }) => ({ column: name(column), direction })),
      filters: filters.map(({ column, row, by }) => {
        const other = value(row, column);
        return { column: name(column), [by]: by === "in" || by === "notIn" ? [other] : other };
      }),
    };
    const left = all.filter((row) =>
      filters.every(({ column, row: at, by }) => compares(row[column % names.length], by, value(at, column))),
    );
    const sorted = left.toSorted((a, b) => {
      for (const { column, direction } of sortBy) {
        const order = orderOf(a[column % names.length], b[column % names.length]);
        if (order !== 0) return direction === "asc" ? order : -order;
      }
      return 0;
    });
    const { number = 1, size, offset: first = (number - 1) * size } = page;
    const rows = sorted.slice(first, first + size);
    const wanted = {
      rows: format === "csv" ? rows : rows.map((row) => Object.fromEntries(row.map((cell, at) => [name(at), cell]))),
      page: {
        currentPageNumber: page.offset && size ? Math.floor(page.offset / size) + 1 : number,
        currentPageSize: size,
        totalRows: left.length,
        totalPages: size === 0 ? 0 : Math.ceil(left.length / size),
      },
    };
    const { result, error } = await connection.call(method, sent);
    // Compares only the members of the contract.
    const members = Object.keys(wanted.page).map((member) => [member, valueAt(result, `/page/${member}`)] as const);
    const got = { rows: valueAt(result, "/rows"), page: Object.fromEntries(members) };
    if (!areEqual(got, wanted))
      throw new StepFailure([`${shortJson(sent)}: expected ${shortJson(wanted)}, got ${shortJson(error ?? got)}`]);
  },
});

function list(value: unknown): Row {
  return Array.isArray(value) ? value : [];
}

/** Compares numbers, or strings of ASCII letters: the statement selects no other values. */
function orderOf(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function compares(value: unknown, by: Comparison, other: unknown): boolean {
  const order = orderOf(value, other);
  switch (by) {
    case "eq":
    case "in":
      return order === 0;
    case "neq":
    case "notIn":
      return order !== 0;
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
  }
}

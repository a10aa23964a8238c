import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { CallOutcome } from "../connection.ts";
import type { DocumentMethod } from "../document.ts";
import { areEqual, shortJson, valueAt } from "../json.ts";
import type { Property } from "./property.ts";

type Row = readonly unknown[];
type Comparison = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notIn";

/** Compares a column with its value in a row. The indexes are modulo the numbers of columns and rows. */
interface Condition {
  readonly column: number;
  readonly row: number;
  readonly by: Comparison;
}

/** Filters, sort order, page and format of a request for rows. */
interface View {
  readonly page: { readonly number?: number; readonly offset?: number; readonly size: number };
  readonly format: "csv" | "json";
  /** Index of a column, modulo the number of columns. */
  readonly sortBy: readonly { readonly column: number; readonly direction: "asc" | "desc" }[];
  readonly filters: readonly (Condition | { readonly or: readonly Condition[] })[];
}

/** A page of filtered and sorted rows equals that part of the whole result, which this test computes. */
export const views = ({ name: method, errors }: DocumentMethod): Property<View> => ({
  id: "fuzz/views",
  level: "MUST",
  profile: "service",
  rule: "A page of filtered and sorted rows equals that part of the whole result.",
  source: "/methods/2",
  values() {
    const at = fc.nat(10_000);
    const size = fc.oneof(fc.nat(4), fc.constantFrom(100, 128, 250, 256, 500, 1000), fc.nat(1200));
    const by = fc.constantFrom<Comparison[]>("eq", "neq", "gt", "gte", "lt", "lte", "in", "notIn");
    const condition = fc.record({ column: at, row: at, by });
    const group = fc.record({ or: fc.array(condition, { minLength: 1, maxLength: 3 }) });
    return fc.record({
      page: fc.oneof(
        fc.record({ number: fc.integer({ min: 1, max: 5 }), size }),
        fc.record({ offset: fc.oneof(fc.nat(9), fc.nat(1000)), size }),
      ),
      format: fc.constantFrom("csv", "json"),
      sortBy: fc.array(fc.record({ column: at, direction: fc.constantFrom("asc", "desc") }), { maxLength: 2 }),
      filters: fc.array(fc.oneof(condition, group), { maxLength: 2 }),
    });
  },
  async holds({ page, format, sortBy, filters }, { connection, known }) {
    const { queryRunId } = known;
    const isTooLarge = ({ error }: CallOutcome) => errors.get(error?.code ?? 0)?.name === "RequestedPageSizeTooLarge";
    const whole = await connection.call(method, { queryRunId });
    if (isTooLarge(whole)) return;
    const names = list(valueAt(whole.result, "/columnNames")).map(String);
    const all = list(valueAt(whole.result, "/rows")).map(list);
    const name = (column: number) => names[column % names.length] ?? "";
    const value = (row: number, column: number) => all[row % all.length]?.[column % names.length];
    const condition = ({ column, row, by }: Condition) => {
      const other = value(row, column);
      return { column: name(column), [by]: by === "in" || by === "notIn" ? [other] : other };
    };
    const sent = {
      queryRunId,
      page,
      format,
      sortBy: sortBy.map(({ column, direction }) => ({ column: name(column), direction })),
      filters: filters.map((filter) => ("or" in filter ? { or: filter.or.map(condition) } : condition(filter))),
    };
    const left = all.filter((row) => {
      const meets = ({ column, row: at, by }: Condition) => compares(row[column % names.length], by, value(at, column));
      return filters.every((filter) => ("or" in filter ? filter.or.some(meets) : meets(filter)));
    });
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
    const outcome = await connection.call(method, sent);
    // The contract does not say how large a page may be.
    if (isTooLarge(outcome)) return;
    const { result, error } = outcome;
    // Compares only the members of the contract.
    const members = Object.keys(wanted.page).map((member) => [member, valueAt(result, `/page/${member}`)] as const);
    const got = { rows: valueAt(result, "/rows"), page: Object.fromEntries(members) };
    if (error !== undefined) throw new StepFailure([`${shortJson(sent)}: expected rows, got ${shortJson(error)}`]);
    const problems = [
      ...(areEqual(got.page, wanted.page)
        ? []
        : [`page: expected ${shortJson(wanted.page)}, got ${shortJson(got.page)}`]),
      ...rowsProblems(list(got.rows), wanted.rows),
    ];
    if (problems.length > 0) throw new StepFailure(problems.map((problem) => `${shortJson(sent)}: ${problem}`));
  },
});

/** Returns the first difference between the rows of a page and the rows that it must have. */
function rowsProblems(got: Row, wanted: Row): readonly string[] {
  const different = wanted.findIndex((row, index) => !areEqual(row, got[index]));
  const at = different < 0 && got.length > wanted.length ? wanted.length : different;
  return at < 0
    ? []
    : [`row ${at + 1} of ${wanted.length}: expected ${shortJson(wanted[at])}, got ${shortJson(got[at])}`];
}

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

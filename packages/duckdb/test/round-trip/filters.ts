import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import { sentValue } from "./bound-values.ts";
import { nestedTypes, type Rows } from "./forms.ts";
import { NumberText, type Plain } from "./plain.ts";
import type { Product, Stored } from "./product.ts";
import type { Random } from "./random.ts";

interface Found {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Filters of a request: a value of each column at `indexes`. */
interface Request {
  readonly row: number;
  readonly indexes: readonly number[];
  readonly sent: string;
}

/** Largest number of conditions of a request. */
const maxConditions = 64;

const never: ReadonlySet<Id> = new Set([Id.LIST, Id.ARRAY, Id.STRUCT, Id.MAP]);

/**
 * Filters by each value that some rows of the page show. A row must be found by its own values, and no row by other values.
 * @param tables indexes of the columns of each table. One column of each third table is a request of its own.
 * @param maxRows number of rows whose values are filters
 */
export async function filteredRows(
  product: Product,
  stored: Stored,
  expected: Rows,
  rows: readonly (readonly unknown[])[],
  random: Random,
  tables: readonly (readonly number[])[],
  maxRows: number,
): Promise<readonly Found[]> {
  const { types, columns } = stored;
  if (types.length > 100) return [];
  const requests: Request[] = [];

  function add(row: number, all: readonly number[], operator: "eq" | "in"): void {
    const indexes = all.slice(0, maxConditions);
    const filters = indexes.map((index) => {
      const value = JSON.stringify(rows[row]?.[index]);
      const sent = sentValue((types[index] as DuckDBType).typeId, value, random);
      return `{"column":${JSON.stringify(columns[index]?.name)},"${operator}":${operator === "in" ? `[${sent}]` : sent}}`;
    });
    requests.push({ row, indexes, sent: `[${filters.join(",")}]` });
    if (all.length > maxConditions) add(row, all.slice(maxConditions), operator);
  }
  const isCompared = (row: number) => (index: number) => {
    const value = rows[row]?.[index];
    const isObject = typeof value === "object" && value !== null && !(value instanceof NumberText);
    return !never.has((types[index] as DuckDBType).typeId) && !isObject;
  };
  const isPresent = (row: number) => (index: number) => rows[row]?.[index] !== null;

  const distinct = rows.findIndex((row, index) => index > 0 && JSON.stringify(row) === JSON.stringify(rows[0]));
  for (let row = 0; row < Math.min(maxRows, distinct < 0 ? rows.length : distinct); row += 1) {
    const indexes = tables.flat().filter(isCompared(row));
    if (indexes.length === 0) continue;
    const present = indexes.filter(isPresent(row));
    if (row % 2 === 0 || present.length === 0) add(row, indexes, "eq");
    else add(row, present, "in");
  }
  for (const own of tables.filter((_, index) => index % 3 === 0)) {
    const present = own.filter((index) => isCompared(0)(index) && isPresent(0)(index));
    if (present.length > 0) add(0, [random.pick(present)], random.pick(["in", "eq"]));
  }
  const [first] = requests;
  if (first === undefined) return [];
  const results = (
    await product.filtered(
      stored,
      requests.map(({ sent }) => sent),
    )
  ).map((found) => new Set(found));
  // The page of one request also counts the rows and writes them.
  if (tables.length === 1) results.push(new Set(await product.filteredPage(stored, first.sent)));
  return results.flatMap((actual, at) => wrong(types, expected, requests[at] ?? first, actual));
}

/** Returns the first row that a request has found wrongly, or not found. */
function wrong(
  types: readonly DuckDBType[],
  expected: Rows,
  { row, indexes, sent }: Request,
  actual: ReadonlySet<number>,
): readonly Found[] {
  for (const [other, values] of expected.entries()) {
    const matches = indexes.map((index) =>
      isSame(types[index] as DuckDBType, values[index] ?? null, expected[row]?.[index] ?? null),
    );
    const must = other === row || matches.every((each) => each === true);
    const may = must || !matches.includes(false);
    if (actual.has(other) ? !may : must)
      return [{ expected: { filter: sent, row: other, found: must }, actual: actual.has(other) }];
  }
  return [];
}

/** Returns undefined for types of which the engine compares other values as equal: 1 month with 30 days, and JSON. */
function isSame(type: DuckDBType, one: Plain, other: Plain): boolean | undefined {
  if (one === other || JSON.stringify(one) === JSON.stringify(other)) return true;
  if (one === null || other === null) return type.alias === "JSON" ? undefined : false;
  if (type.typeId === Id.FLOAT || type.typeId === Id.DOUBLE) return Number(one) === Number(other);
  const isLoose = nestedTypes.has(type.typeId) || type.alias === "JSON" || type.typeId === Id.VARIANT;
  return isLoose || type.typeId === Id.INTERVAL || type.typeId === Id.TIME_TZ ? undefined : false;
}

import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import { sentValue } from "./bound-values.ts";
import { nestedTypes, type Rows } from "./forms.ts";
import { NumberText, type Plain, parseJson } from "./plain.ts";
import type { Product, Stored } from "./product.ts";
import type { Random } from "./random.ts";

interface Found {
  readonly expected: unknown;
  readonly actual: unknown;
}

const never: ReadonlySet<Id> = new Set([Id.LIST, Id.ARRAY, Id.STRUCT, Id.MAP]);

/**
 * Filters by each value that some rows of the page show. A row must be found by its own values, and no row by other values.
 * @param maxRows number of rows whose values are filters
 */
export async function filteredRows(
  product: Product,
  stored: Stored,
  expected: Rows,
  shown: string,
  random: Random,
  maxRows: number,
): Promise<readonly Found[]> {
  const { types, columns } = stored;
  if (types.length > 100) return [];
  const rows: readonly (readonly unknown[])[] = parseJson(shown);
  const distinct = rows.findIndex((row, index) => index > 0 && JSON.stringify(row) === JSON.stringify(rows[0]));
  const found: Found[] = [];

  async function filter(row: number, indexes: readonly number[], operator: "eq" | "in"): Promise<void> {
    const filters = indexes.map((index) => {
      const value = JSON.stringify(rows[row]?.[index]);
      const sent = sentValue((types[index] as DuckDBType).typeId, value, random);
      return `{"column":${JSON.stringify(columns[index]?.name)},"${operator}":${operator === "in" ? `[${sent}]` : sent}}`;
    });
    const sent = `[${filters.join(",")}]`;
    const actual = new Set(await product.filtered(stored, sent));
    for (const [other, values] of expected.entries()) {
      const matches = indexes.map((index) =>
        isSame(types[index] as DuckDBType, values[index] ?? null, expected[row]?.[index] ?? null),
      );
      const must = other === row || matches.every((each) => each === true);
      const may = must || !matches.includes(false);
      if (actual.has(other) ? !may : must)
        return void found.push({ expected: { filter: sent, row: other, found: must }, actual: actual.has(other) });
    }
  }

  for (let row = 0; row < Math.min(maxRows, distinct < 0 ? rows.length : distinct); row += 1) {
    const indexes = types.flatMap((type, index) => {
      const value = rows[row]?.[index];
      const isObject = typeof value === "object" && value !== null && !(value instanceof NumberText);
      return never.has(type.typeId) || isObject ? [] : [index];
    });
    if (indexes.length === 0) continue;
    const present = indexes.filter((index) => rows[row]?.[index] !== null);
    if (row % 2 === 0 || present.length === 0) await filter(row, indexes, "eq");
    else await filter(row, present, "in");
    if (row === 0 && present.length > 0) await filter(row, [random.pick(present)], random.pick(["in", "eq"]));
  }
  return found;
}

/** Returns undefined for types of which the engine compares other values as equal: 1 month with 30 days, and JSON. */
function isSame(type: DuckDBType, one: Plain, other: Plain): boolean | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return true;
  if (one === null || other === null) return type.alias === "JSON" ? undefined : false;
  if (type.typeId === Id.FLOAT || type.typeId === Id.DOUBLE) return Number(one) === Number(other);
  const isLoose = nestedTypes.has(type.typeId) || type.alias === "JSON" || type.typeId === Id.VARIANT;
  return isLoose || type.typeId === Id.INTERVAL || type.typeId === Id.TIME_TZ ? undefined : false;
}

import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import { nestedTypes, type Rows } from "./forms.ts";
import { plainOf } from "./plain.ts";
import type { Product } from "./product.ts";
import type { Random } from "./random.ts";
import type { RandomTable } from "./table.ts";

const never: ReadonlySet<Id> = new Set([...nestedTypes, Id.VARIANT, Id.GEOMETRY, Id.BLOB]);

/** Binds the values of the first row as a page shows them, and reads them in their types. */
export async function boundValues(
  product: Product,
  { read }: RandomTable,
  types: readonly DuckDBType[],
  shown: readonly (readonly unknown[])[],
  random: Random,
): Promise<{ readonly indexes: readonly number[]; readonly rows: Rows }> {
  const indexes = types.flatMap((type, index) => (never.has(type.typeId) || type.alias === "JSON" ? [] : [index]));
  const [row] = shown;
  if (indexes.length === 0 || indexes.length > 100 || row === undefined) return { indexes: [], rows: [[]] };
  const cells = indexes.map((index, at) => `CAST(CAST($${at + 1} AS ${types[index]}) AS ${read[index]})`);
  const values = indexes.map((index) =>
    sentValue((types[index] as DuckDBType).typeId, JSON.stringify(row[index]), random),
  );
  const rows = await product.bound(`SELECT ${cells.join(", ")}`, `[${values.join(",")}]`);
  return {
    indexes,
    rows: rows.map((each) => indexes.map((index, at) => plainOf(types[index] as DuckDBType, each[at], "native"))),
  };
}

const integers: ReadonlySet<Id> = new Set([Id.BIGINT, Id.UBIGINT, Id.HUGEINT, Id.UHUGEINT, Id.BIGNUM]);

/** Returns the JSON of a value: some long integers without quotes, as Python and Go send them. */
export function sentValue(type: Id, json: string, random: Random): string {
  return integers.has(type) && /^"-?\d{16,38}"$/.test(json) && random.chance(0.5) ? json.slice(1, -1) : json;
}

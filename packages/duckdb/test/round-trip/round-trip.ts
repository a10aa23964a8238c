import { rm } from "node:fs/promises";
import type { DuckDBConnection, DuckDBType } from "@duckdb/node-api";
import { boundValues } from "./bound-values.ts";
import { filteredRows } from "./filters.ts";
import { downloadFormats, forms, isEqual, ownAnswer, type Rows } from "./forms.ts";
import type { Product } from "./product.ts";
import { createRandom } from "./random.ts";
import { randomTable, type TableForm } from "./table.ts";
import { encodings, writtenRows } from "./written-rows.ts";

/** Difference between the engine's own answer and a form, with the seed that repeats it. */
export interface Difference {
  readonly seed: number;
  readonly form: string;
  readonly type: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Seed of a table that takes more than ten seconds, and its form. */
const wideSeed = 150;
const wide: TableForm = { count: 500, only: /^(INTEGER|VARCHAR|DOUBLE|DATE)$/ };
/** Forms of the tables of some seeds of each hundred, which random choices make too rarely. */
const forms100: Readonly<Record<number, TableForm>> = {
  60: { count: 6, only: /^(DATE|TIMESTAMP|TIMESTAMP WITH TIME ZONE)$/ },
  70: { count: 6, only: /^DOUBLE$/ },
  80: { count: 6, only: /^BLOB$/ },
};
/** Seed of each hundred whose rows as those of another engine begin with a byte order mark and end with 9 MB. */
const longSeed = 20;

function formOf(seed: number): TableForm | undefined {
  return seed === wideSeed ? wide : forms100[seed % 100];
}

/** Returns two formats of downloads; all four for the tables of a form. Six seeds in a row have each pair. */
function downloadsOf(seed: number): typeof downloadFormats {
  if (formOf(seed) !== undefined) return downloadFormats;
  const pairs = downloadFormats.flatMap((one, index) => downloadFormats.slice(index + 1).map((other) => [one, other]));
  return pairs[seed % pairs.length] ?? [];
}

/** Takes a random table through pages, two downloads, filters, parameters and the rows of another engine, and back. Returns the first difference of each. */
export async function roundTrip(
  product: Product,
  engine: DuckDBConnection,
  seed: number,
  folder: string,
): Promise<readonly Difference[]> {
  const random = createRandom(seed);
  const table = randomTable(random, formOf(seed));
  const stored = await product.store(table.sql);
  const { types } = stored;
  const expected = await ownAnswer(engine, table, types);
  const shown = await product.page(stored, "csv");
  const read = await forms(product, engine, stored, folder, shown, downloadsOf(seed));
  const isLong = seed % 100 === longSeed;
  const encoding = isLong ? "csv" : random.pick(encodings);
  const written = await writtenRows(product, engine, stored, shown, encoding, isLong);
  const bound = await boundValues(product, table, types, shown, random);
  const filtered = await filteredRows(product, stored, expected, shown, random, formOf(seed) ? 100 : 3);
  await rm(stored.path);
  const partly = (form: string, indexes: readonly number[], rows: Rows, count = expected.length) =>
    differences(
      seed,
      form,
      of(indexes, types),
      rows,
      expected.slice(0, count).map((row) => of(indexes, row)),
    );
  return [
    ...Object.entries(read).flatMap(([form, rows]) => differences(seed, form, types, rows, expected)),
    ...(written === undefined ? [] : partly(written.form, written.indexes, written.rows)),
    ...partly("parameters", bound.indexes, bound.rows, 1),
    ...filtered.map((difference) => ({ seed, form: "filter", type: "", ...difference })),
  ];
}

const of = <T>(indexes: readonly number[], items: readonly T[]): readonly T[] =>
  indexes.map((index) => items[index] as T);

function differences(
  seed: number,
  form: string,
  types: readonly DuckDBType[],
  rows: Rows,
  expected: Rows,
): readonly Difference[] {
  if (rows.length !== expected.length)
    return [{ seed, form, type: "number of rows", expected: expected.length, actual: rows.length }];
  for (const [index, type] of types.entries())
    for (const [row, values] of expected.entries())
      if (!isEqual(form, type, rows[row]?.[index], values[index] ?? null))
        return [{ seed, form, type: String(type), expected: values[index], actual: rows[row]?.[index] }];
  return [];
}

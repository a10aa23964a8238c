import { rm } from "node:fs/promises";
import type { DuckDBConnection, DuckDBType } from "@duckdb/node-api";
import { boundValues } from "./bound-values.ts";
import { filteredRows } from "./filters.ts";
import { downloadFormats, forms, isEqual, ownAnswer, type Rows } from "./forms.ts";
import { parseJson } from "./plain.ts";
import type { Product } from "./product.ts";
import { createRandom, type Random } from "./random.ts";
import { smallResult } from "./small-result.ts";
import { type RandomTable, randomTable, sideBySide, type TableForm } from "./table.ts";
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
/** Forms of the tables of some seeds of each two hundred, which random choices make too rarely. */
const forms200: Readonly<Record<number, TableForm>> = {
  60: { count: 8, only: /^(BLOB|DATE|TIMESTAMP|TIMESTAMP WITH TIME ZONE)$/ },
  80: { count: 6, only: /^DOUBLE$/ },
};
/** Seed of each five hundred whose rows as those of another engine begin with a byte order mark and end with 9 MB. */
const longSeed = 20;

function formOf(seed: number): TableForm | undefined {
  return seed === wideSeed ? wide : forms200[seed % 200];
}

/** Returns two formats of downloads for one or two tables, and all four for more and for those of a form. */
function downloadsOf(random: Random, seeds: readonly number[]): typeof downloadFormats {
  if (seeds.length > 2 || seeds.some((seed) => formOf(seed) !== undefined)) return downloadFormats;
  return random.pick(
    downloadFormats.flatMap((one, index) => downloadFormats.slice(index + 1).map((other) => [one, other])),
  );
}

/** Numbers of tables of one result, in turn. A statement of many columns takes less time than many statements. */
const sizes = [1, 2, 30];

/**
 * Returns the seeds of the tables of each result. Some are alone, because a column can change the form of all others of its
 * result: an integer of 39 digits, a DOUBLE, or a value that the engine cannot write as JSON.
 */
export function resultsOf(from: number, to: number): readonly (readonly number[])[] {
  const results: number[][] = [];
  let open: number[] = [];
  let count = 0;
  for (let seed = from; seed < to; seed += 1) {
    if (formOf(seed) !== undefined || seed % 500 === longSeed) {
      results.push([seed]);
      continue;
    }
    if (open.length === 0) results.push(open);
    open.push(seed);
    if (open.length < (sizes[count % sizes.length] ?? 1)) continue;
    open = [];
    count += 1;
  }
  return results;
}

/**
 * Takes random tables side by side through pages, downloads, filters, parameters and the rows of another engine, and back.
 * Returns the first difference of each.
 */
export async function roundTrip(
  product: Product,
  engine: DuckDBConnection,
  seeds: readonly number[],
  folder: string,
): Promise<readonly Difference[]> {
  const [first = 0] = seeds;
  const random = createRandom(-1 - first);
  const isAlone = seeds.length === 1;
  const tables: RandomTable[] = [];
  /** Seed of each column. */
  const columnSeeds: number[] = [];
  for (const seed of seeds) {
    const form = { ...formOf(seed), before: columnSeeds.length };
    const table = randomTable(createRandom(seed), form);
    tables.push(table);
    columnSeeds.push(...table.read.map(() => seed));
  }
  const [only] = tables;
  const table = isAlone && only !== undefined ? only : await sideBySide(engine, tables, random);
  const stored = await product.store(table.sql);
  const { types } = stored;
  const expected = await ownAnswer(engine, table, types);
  const shown = parseJson(await product.page(stored, "csv"));
  const read = await forms(product, engine, stored, folder, shown, downloadsOf(random, seeds));
  const isLong = first % 500 === longSeed;
  const encoding = isLong ? "csv" : random.pick(encodings);
  const written = await writtenRows(product, engine, stored, shown, encoding, isLong);
  const bound = await boundValues(product, table, types, shown, random);
  const filteredCount = formOf(first) !== undefined ? 100 : isAlone ? 3 : 2;
  const own = seeds.map((seed) => columnSeeds.flatMap((each, index) => (each === seed ? [index] : [])));
  const filtered = await filteredRows(product, stored, expected, shown, random, own, filteredCount);
  const unequal = await smallResult(product, table.sql, stored);
  await rm(stored.path);
  const partly = (form: string, indexes: readonly number[], rows: Rows, count = expected.length) =>
    differences(
      of(indexes, columnSeeds),
      form,
      of(indexes, types),
      rows,
      expected.slice(0, count).map((row) => of(indexes, row)),
    );
  return [
    ...Object.entries(read).flatMap(([form, rows]) => differences(columnSeeds, form, types, rows, expected)),
    ...(written === undefined ? [] : partly(written.form, written.indexes, written.rows)),
    ...partly("parameters", bound.indexes, bound.rows, 1),
    ...(unequal === undefined ? [] : [{ seed: first, form: "small result", type: "", ...unequal }]),
    ...filtered.map((difference) => ({ seed: first, form: "filter", type: "", ...difference })),
  ];
}

const of = <T>(indexes: readonly number[], items: readonly T[]): readonly T[] =>
  indexes.map((index) => items[index] as T);

function differences(
  seeds: readonly number[],
  form: string,
  types: readonly DuckDBType[],
  rows: Rows,
  expected: Rows,
): readonly Difference[] {
  if (rows.length !== expected.length)
    return [{ seed: seeds[0] ?? 0, form, type: "number of rows", expected: expected.length, actual: rows.length }];
  for (const [index, type] of types.entries())
    for (const [row, values] of expected.entries())
      if (!isEqual(form, type, rows[row]?.[index], values[index] ?? null))
        return [
          { seed: seeds[index] ?? 0, form, type: String(type), expected: values[index], actual: rows[row]?.[index] },
        ];
  return [];
}

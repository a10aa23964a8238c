import { type DuckDBConnection, type DuckDBType, type DuckDBValue, DuckDBTypeId as Id } from "@duckdb/node-api";
import type { BinRange } from "@quern/protocol/types";
import type { ResultColumn } from "@quern/query-run/record";
import type { GroupColumn } from "@quern/query-run/summary";
import { storedType } from "../engine/stored-type.ts";
import { type ColumnForm, formOf } from "./column-form.ts";
import { type Edge, edgesOf, edgeTexts, pointOf } from "./profile-bins.ts";

/** Lowest and highest point of a column that is grouped in bins. */
export type Bounds = readonly [lowest: DuckDBValue, highest: DuckDBValue];

/** Column of the groups of a summary, as SQL. */
export interface GroupKey {
  /** SQL of the value, of the columns of a result. */
  readonly value: string;
  /** SQL of the point of a value that is put into a bin, of its column `g0` or `g1`; undefined without bins. */
  readonly point: string | undefined;
  /** Returns SQL of the key, and of its JSON. */
  written(connection: DuckDBConnection, bounds: Bounds): Promise<WrittenKey>;
}

interface WrittenKey {
  /** SQL of the first guess of a bin, of the point `p0` or `p1`, whose column is `j0` or `j1`. */
  readonly guess: string;
  /** SQL of the key, of `g0`, `p0` and `j0` or the same of the second key. */
  readonly key: string;
  /** Returns SQL of what `text` converts. */
  readonly json: (key: string) => string;
  /** Returns the JSON of a key that is not NULL. */
  readonly text: (key: DuckDBValue) => string;
  readonly bins: readonly BinRange[] | null;
}

/** Returns a key of a summary. @param at 0 for the first key, 1 for the second */
export function groupKey(column: ResultColumn, { index, bins, unit }: GroupColumn, at: number): GroupKey {
  const type = storedType(column);
  const { value, json, kind } = formOf(column, `c${index}`);
  const cell = `g${at}`;
  if (bins !== undefined) {
    const point = pointOf(type, kind, cell);
    return { value, point, written: (connection, bounds) => binKey(connection, { kind, at, bounds, bins }) };
  }
  const plain = unit === undefined ? { key: cell, json } : unitKey(type, kind, cell, unit);
  return { value, point: undefined, written: async () => ({ ...plain, guess: "NULL", text: String, bins: null }) };
}

/** Returns the beginning of the unit of a day or a time. The cast to a time, which the engine does, fails for far days. */
function unitKey(
  type: DuckDBType,
  kind: ColumnForm["kind"],
  cell: string,
  unit: NonNullable<GroupColumn["unit"]>,
): Pick<WrittenKey, "json" | "key"> {
  if (kind === "day") {
    const starts: Readonly<Partial<Record<typeof unit, string>>> = {
      week: `${cell} - CAST(isodow(${cell}) - 1 AS INTEGER)`,
      month: `${cell} - CAST(day(${cell}) - 1 AS INTEGER)`,
      quarter: `make_date(year(${cell}), 3 * quarter(${cell}) - 2, 1)`,
      year: `${cell} - CAST(dayofyear(${cell}) - 1 AS INTEGER)`,
    };
    const start = starts[unit] ?? cell;
    return {
      key: `CASE WHEN isfinite(${cell}) THEN ${start} ELSE ${cell} END`,
      json: (key) => `quern_json_date(${key})`,
    };
  }
  // The cast of a time with a time zone, which is slow, is for infinite times only. The time zone is UTC.
  const time =
    type.typeId === Id.TIMESTAMP_TZ
      ? `coalesce(make_timestamp(epoch_us(${cell})), CAST(${cell} AS TIMESTAMP))`
      : `CAST(${cell} AS TIMESTAMP)`;
  return { key: `date_trunc('${unit}', ${time})`, json: (key) => `quern_json_timestamp(${key})` };
}

interface Binning {
  readonly kind: ColumnForm["kind"];
  readonly at: number;
  readonly bounds: Bounds;
  readonly bins: number;
}

/** Returns a key that is the number of a bin. Values without a point have a number before or after those of the bins. */
async function binKey(
  connection: DuckDBConnection,
  { kind, at, bounds: [lowest, highest], bins }: Binning,
): Promise<WrittenKey> {
  const edges = edgesOf(lowest, highest, kind, bins);
  const count = edges.length;
  const texts = count === 0 ? [] : await edgeTexts(connection, [...edges, highest], kind);
  const isNumber = kind === "number";
  const others = new Map([
    [-1, isNumber ? '"-Infinity"' : '"-infinity"'],
    [count, isNumber ? '"Infinity"' : '"infinity"'],
    [count + 1, '"NaN"'],
  ]);
  const cell = `CAST(g${at} AS VARCHAR)`;
  const other = `CASE WHEN ends_with(${cell}, 'nan') THEN ${count + 1} WHEN starts_with(${cell}, '-') THEN -1 ELSE ${count} END`;
  const { guess, bin } = isNumber ? numberBin(edges.map(Number), highest, at) : integerBin(edges, highest, at);
  return {
    guess,
    key: `CASE WHEN g${at} IS NULL THEN NULL WHEN p${at} IS NULL THEN ${other} ELSE ${bin} END`,
    json: (key) => key,
    text: (key) => others.get(Number(key)) ?? texts[Number(key)] ?? "null",
    bins: edges.map((_, place) => ({ from: parsed(texts[place]), to: parsed(texts[place + 1]) })),
  };
}

const parsed = (text = "null"): unknown => JSON.parse(text);

interface Bin {
  readonly guess: string;
  readonly bin: string;
}

/** Returns SQL of the number of an integer's bin. The engine is faster with 64 bits. */
function integerBin(edges: readonly Edge[], highest: DuckDBValue, at: number): Bin {
  const [first = 0n, second] = edges.map(BigInt);
  if (second === undefined) return { guess: "NULL", bin: "0" };
  const isNarrow = first >= -(2n ** 62n) && BigInt(String(highest)) < 2n ** 62n;
  const type = isNarrow ? "BIGINT" : "HUGEINT";
  return { guess: "NULL", bin: `CAST((CAST(p${at} AS ${type}) - ${first}) // ${second - first} AS INTEGER)` };
}

/** Returns SQL of the number of a double's bin. The quotient is rounded, so the bounds of its bin decide. */
function numberBin(edges: readonly number[], highest: DuckDBValue, at: number): Bin {
  const count = edges.length;
  if (count < 2) return { guess: "NULL", bin: "0" };
  const double = (value: number): string => `CAST('${value}' AS DOUBLE)`;
  const half = (edges[0] ?? 0) / 2;
  const quotient = `(p${at} / 2 - ${double(half)}) / ${double(Number(highest) / 2 - half)}`;
  const list = `CAST([${edges.map((edge) => `'${edge}'`).join(", ")}] AS DOUBLE[])`;
  const guess = `least(greatest(CAST(floor(${quotient} * ${count}) AS INTEGER), 0), ${count - 1})`;
  return {
    guess,
    bin: `CASE WHEN p${at} < ${list}[j${at} + 1] THEN j${at} - 1 WHEN p${at} >= ${list}[j${at} + 2] THEN j${at} + 1 ELSE j${at} END`,
  };
}

import type { BinRange, Grouping } from "@quern/protocol/types";
import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import type { GroupColumn, MeasuredColumn } from "@quern/query-run/summary";
import { binOf, cut, pointsOf, timeText } from "./points.ts";
import { compareValues } from "./view.ts";

type Row = readonly unknown[];

/** Key of groups. Rows with the same rank are in the same group. */
interface Key {
  readonly rank: (row: Row) => unknown;
  /** Returns the key of a rank, as a summary shows it. */
  readonly shown: (rank: unknown) => unknown;
  /** Kind by which ranks are compared. */
  readonly kind: ColumnKind;
  readonly bins: readonly BinRange[] | null;
}

const noColumn: ResultColumn = { name: "", kind: "unknown", engineType: "" };

/** Returns a key of the rows of a summary. */
export function keyOf(rows: readonly Row[], columns: readonly ResultColumn[], { index, bins, unit }: GroupColumn): Key {
  const column = columns[index] ?? noColumn;
  const { kind, engineType } = column;
  const cellOf = (row: Row): unknown => row[index] ?? null;
  if (bins !== undefined) return binKey(rows, column, bins, cellOf);
  const shown = (rank: unknown): unknown => cut(rank).value;
  if (unit === undefined) return { kind, shown, rank: cellOf, bins: null };
  const rank = (row: Row): unknown => {
    const value = cellOf(row);
    const time = Date.parse(String(value));
    return Number.isNaN(time) ? value : timeText(startOf(time, unit), engineType);
  };
  return { kind, shown, rank, bins: null };
}

/** Returns a key whose rank is the number of a bin. Values without a point have a rank before or after those of the bins. */
function binKey(rows: readonly Row[], column: ResultColumn, maxCount: number, cellOf: (row: Row) => unknown): Key {
  const values = rows.map(cellOf).filter((value) => value !== null);
  const points = pointsOf(values, column, maxCount);
  const count = Math.max(0, points.bounds.length - 1);
  const others = new Map<unknown, unknown>();
  const rank = (row: Row): unknown => {
    const value = cellOf(row);
    if (value === null) return null;
    const point = points.of(value);
    if (Number.isFinite(point)) return binOf(points, point);
    const text = String(value);
    const other = text === "NaN" ? count + 1 : text.startsWith("-") ? -1 : count;
    others.set(other, value);
    return other;
  };
  const bins = Array.from({ length: count }, (_, at) => ({
    from: points.shown(points.bounds[at] ?? 0),
    to: points.shown(points.bounds[at + 1] ?? 0),
  }));
  return { kind: "number", rank, bins, shown: (rank) => others.get(rank) ?? bins[Number(rank ?? -1)]?.from ?? null };
}

const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Returns the beginning of the unit in which a time lies, in UTC. */
function startOf(ms: number, unit: NonNullable<Grouping["unit"]>): number {
  const date = new Date(ms);
  const month = date.getUTCMonth();
  const startOfMonth = (month: number): number => new Date(0).setUTCFullYear(date.getUTCFullYear(), month, 1);
  switch (unit) {
    case "week": {
      const day = startOf(ms, "day");
      return day - ((date.getUTCDay() + 6) % 7) * unitMs.day; // the days since Monday
    }
    case "month":
      return startOfMonth(month);
    case "quarter":
      return startOfMonth(month - (month % 3));
    case "year":
      return startOfMonth(0);
    default:
      return Math.floor(ms / unitMs[unit]) * unitMs[unit];
  }
}

/** Calculates a measure of the rows of a group. */
export function measureOf(
  rows: readonly Row[],
  columns: readonly ResultColumn[],
  { function: name, index }: MeasuredColumn,
): unknown {
  if (index === undefined) return rows.length;
  const { kind } = columns[index] ?? noColumn;
  const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null);
  const sorted = (): readonly unknown[] => values.toSorted((a, b) => compareValues(a, b, kind) ?? 0);
  switch (name) {
    case "count":
      return values.length;
    case "countDistinct":
      return new Set(values.map((value) => JSON.stringify(value))).size;
    case "sum":
      return values.length === 0 ? null : sumOf(values);
    case "mean":
      return values.length === 0 ? null : shownNumber(sumOfDoubles(values) / values.length);
    case "min":
      return cut(sorted()[0] ?? null).value;
    case "max":
      return cut(sorted().at(-1) ?? null).value;
  }
}

/** Adds integers up exactly, other numbers as doubles. */
function sumOf(values: readonly unknown[]): unknown {
  if (!values.every((value) => /^-?\d+$/.test(String(value)))) return shownNumber(sumOfDoubles(values));
  const sum = values.reduce<bigint>((total, value) => total + BigInt(String(value)), 0n);
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}

function sumOfDoubles(values: readonly unknown[]): number {
  return values.reduce<number>((total, value) => total + Number(value), 0);
}

function shownNumber(value: number): unknown {
  return Number.isFinite(value) ? value : String(value);
}

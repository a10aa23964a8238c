import { binEdges, maxTextLength, numberEdges } from "@quern/query-run/column-profile";
import type { ResultColumn } from "@quern/query-run/record";
import { textOf } from "./view.ts";

const dayMs = 86_400_000;

/** Points of the values of a column, on which they are put into bins. */
export interface Points {
  /** Returns the point of a value; NaN or an infinity for one that is in no bin. */
  readonly of: (value: unknown) => number;
  /** Lower bounds of the bins and the highest point; empty without points. */
  readonly bounds: readonly number[];
  /** Returns the value of a point, as a page shows it. */
  readonly shown: (point: number) => unknown;
}

/** Returns the points of a column of numbers or times. Those of other columns are NaN. */
export function pointsOf(values: readonly unknown[], column: ResultColumn, maxCount?: number): Points {
  const { of, shown } = scaleOf(column);
  const points = values.map(of).filter(Number.isFinite);
  if (points.length === 0) return { of, shown, bounds: [] };
  const [low, high] = points.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const edges = points.every(Number.isSafeInteger)
    ? binEdges(BigInt(low), BigInt(high), maxCount).map(Number)
    : numberEdges(low, high, maxCount);
  return { of, shown, bounds: [...edges, high] };
}

/** Returns the index of the bin of a point. The last bin includes its upper bound. */
export function binOf({ bounds }: Pick<Points, "bounds">, point: number): number {
  return Math.min(
    bounds.findLastIndex((bound) => bound <= point),
    bounds.length - 2,
  );
}

function scaleOf({ kind, engineType }: ResultColumn): Pick<Points, "of" | "shown"> {
  if (kind !== "date") return { of: kind === "number" ? Number : () => Number.NaN, shown: (point) => point };
  const unit = engineType === "DATE" ? dayMs : 1;
  return {
    of: (value) => Math.floor(Date.parse(String(value)) / unit),
    shown: (point) => timeText(point * unit, engineType),
  };
}

/** Returns a time as a page shows it. */
export function timeText(ms: number, engineType: string): string {
  const text = new Date(ms).toISOString();
  return engineType === "DATE" ? text.slice(0, text.indexOf("T")) : text;
}

/** Returns a value of at most 200 characters: numbers and booleans as they are, others as text. */
export function cut(value: unknown): { readonly value: unknown; readonly isCut: boolean } {
  if (value === null || typeof value === "number" || typeof value === "boolean") return { value, isCut: false };
  const characters = [...textOf(value)];
  return { value: characters.slice(0, maxTextLength).join(""), isCut: characters.length > maxTextLength };
}

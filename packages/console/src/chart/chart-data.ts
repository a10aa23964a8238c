import { exactText, visible } from "../grid/cell-text.ts";
import { drawnNumber, drawnTime } from "./chart-value.ts";

export type AxisKind = "time" | "number" | "category";

/** Value to draw: of a row, or of a group of rows. */
export interface ChartEntry {
  /** Name of the column or of its measure. */
  readonly y: string;
  /** Value of the column of series; undefined without one. */
  readonly group: unknown;
  readonly x: unknown;
  /** End of the interval that begins at `x`. */
  readonly xEnd?: unknown;
  readonly value: unknown;
  /** Rows that the entry stands for; 0 if another entry counts them. */
  readonly rowCount: number;
}

export interface ChartPoint {
  /** Number or milliseconds along x; of a category, its index. */
  readonly x: number;
  readonly xEnd?: number | undefined;
  /** Undefined for a gap. */
  readonly y: number | undefined;
  /** The exact value. */
  readonly text: string;
}

export interface ChartSeries {
  readonly name: string;
  readonly points: readonly ChartPoint[];
}

/** The points at one place of x. */
interface ChartStop {
  readonly x: number;
  /** Middle of the interval, or `x`. */
  readonly center: number;
  /** The exact value, or the interval. */
  readonly text: string;
  readonly values: readonly { readonly series: number; readonly text: string }[];
}

/** Counts of rows and values that the chart does not draw. */
interface LeftOut {
  /** Rows without a place on the x axis. */
  readonly rowsWithoutX: number;
  readonly nullValues: number;
  /** Values that cannot be drawn, such as NaN and infinities. */
  readonly otherValues: number;
  readonly series: number;
  readonly seriesValues: number;
}

export interface ChartData {
  readonly xKind: AxisKind;
  /** Text of each category, by its index. */
  readonly categories: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly stops: readonly ChartStop[];
  readonly leftOut: LeftOut;
}

export const MAX_SERIES = 20;

/** Arranges entries into series. Categories are in the order of the entries, numbers and times in ascending order. */
export function chartData(xKind: AxisKind, entries: readonly ChartEntry[]): ChartData {
  const series = new Map<string, { index: number; name: string; points: ChartPoint[] }>();
  const categories = createCategories();
  const stops = new Map<number, { text: string; center: number; values: { series: number; text: string }[] }>();
  const hidden = new Set<string>();
  const leftOut = { rowsWithoutX: 0, nullValues: 0, otherValues: 0, seriesValues: 0 };
  const severalY = new Set(entries.map(({ y }) => y)).size > 1;
  const placeOf = xKind === "time" ? drawnTime : drawnNumber;

  for (const entry of entries) {
    const { y, group, xEnd, value } = entry;
    const key = JSON.stringify([y, group]);
    if (!series.has(key) && series.size === MAX_SERIES) {
      hidden.add(key);
      leftOut.seriesValues++;
      continue;
    }
    const x = xKind === "category" ? categories.indexOf(entry.x, key) : placeOf(entry.x);
    if (x === undefined) {
      leftOut.rowsWithoutX += entry.rowCount;
      continue;
    }
    const name = group === undefined ? y : `${severalY ? `${y} · ` : ""}${exactText(group)}`;
    const own = series.get(key) ?? { index: series.size, name: visible(name), points: [] };
    series.set(key, own);
    const number = drawnNumber(value);
    if (number === undefined) leftOut[value === null ? "nullValues" : "otherValues"]++;
    const end = xEnd === undefined ? undefined : placeOf(xEnd);
    const text = exactText(value);
    own.points.push({ x, xEnd: end, y: number, text });
    const stop = stops.get(x) ?? { text: placeText(entry), center: end === undefined ? x : (x + end) / 2, values: [] };
    stop.values.push({ series: own.index, text });
    stops.set(x, stop);
  }
  return {
    xKind,
    categories: categories.texts,
    series: [...series.values()].map(({ name, points }) => ({ name, points: points.toSorted((a, b) => a.x - b.x) })),
    stops: [...stops].map(([x, stop]) => ({ x, ...stop })).sort((a, b) => a.x - b.x),
    leftOut: { ...leftOut, series: hidden.size },
  };
}

const placeText = ({ x, xEnd }: ChartEntry): string =>
  visible(xEnd === undefined ? exactText(x) : `${exactText(x)} to ${exactText(xEnd)}`);

/** A value that comes again in a series is a category of its own, so that no value hides another. */
function createCategories() {
  const indexes = new Map<string, number>();
  const occurrences = new Map<string, number>();
  const texts: string[] = [];
  return {
    texts,
    indexOf(value: unknown, series: string): number {
      const key = JSON.stringify(value);
      const occurrence = occurrences.get(`${key} ${series}`) ?? 0;
      occurrences.set(`${key} ${series}`, occurrence + 1);
      const known = indexes.get(`${key} ${occurrence}`);
      if (known !== undefined) return known;
      indexes.set(`${key} ${occurrence}`, texts.length);
      return texts.push(visible(exactText(value))) - 1;
    },
  };
}

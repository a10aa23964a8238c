import type { ChartColumn } from "./chart-column.ts";

export const CHART_KINDS = ["line", "area", "bar", "scatter", "number"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

/** Functions that reduce the rows of a group to a value; `none` draws each row. */
export const MEASURES = ["none", "mean", "sum", "min", "max", "count", "countDistinct"] as const;
export type Measure = (typeof MEASURES)[number];

export const TIME_UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export const BIN_COUNTS = [10, 20, 50, 100, 200, 500, 1000] as const;

/** Groups along x: a number of intervals of the same width, intervals of the calendar, or each value. */
export type Grouping = number | TimeUnit | "value";

/** Columns and form of a chart, by the names of the columns. */
export interface ChartSettings {
  readonly kind: ChartKind;
  /** Undefined for the kind `number`. */
  readonly x?: string | undefined;
  readonly y: readonly string[];
  /** Column whose values tell the series apart. */
  readonly series?: string | undefined;
  readonly measure: Measure;
  readonly grouping: Grouping;
}

/** Chart of a tab, kept with it. */
export interface TabChart {
  readonly isShown: boolean;
  /** Settings that the user has changed; undefined for the first guess. */
  readonly settings?: ChartSettings | undefined;
}

/** Columns of y that a chart draws. */
export const MAX_Y = 8;

/** Returns stored settings if they fit the columns of a result. */
export function fittingSettings(stored: unknown, columns: readonly ChartColumn[]): ChartSettings | undefined {
  const { kind, x, y, series, measure, grouping } = Object(stored);
  const isColumn = (name: unknown): name is string => columns.some((column) => column.name === name);
  const isKind = CHART_KINDS.find((each) => each === kind);
  const isMeasure = MEASURES.find((each) => each === measure);
  const isGrouping = ["value", ...TIME_UNITS, ...BIN_COUNTS].includes(grouping);
  if (isKind === undefined || isMeasure === undefined || !isGrouping) return undefined;
  if (!Array.isArray(y) || !y.every(isColumn) || y.length > MAX_Y) return undefined;
  if (x !== undefined && !isColumn(x)) return undefined;
  if (series !== undefined && !isColumn(series)) return undefined;
  return { kind: isKind, x, y, series, measure: isMeasure, grouping };
}

import { scaleLinear, scaleUtc } from "d3-scale";
import type { ChartData } from "./chart-data.ts";
import type { ChartKind } from "./chart-settings.ts";

interface Tick {
  /** Pixels from the left or from the top. */
  readonly at: number;
  readonly text: string;
}

/** Place of a name in the legend, in pixels. */
interface LegendItem {
  readonly left: number;
  readonly top: number;
  readonly text: string;
}

/** Places of everything in a chart, in pixels. */
export interface ChartLayout {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly legend: readonly LegendItem[];
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  /** Width of a category. */
  readonly band: number;
  /** Returns the place of a number or a time, or the middle of a category. */
  x(value: number): number;
  y(value: number): number;
}

/** Mean width of a character in the font of a chart, in pixels. */
const CHARACTER = 6.6;
/** Width of a wide character, so that names of categories keep apart. */
const WIDE_CHARACTER = 7.6;
const LEGEND_ROW = 18;
const LABEL_LENGTH = 24;

export const shortText = (text: string, length = LABEL_LENGTH): string =>
  text.length > length ? `${text.slice(0, Math.max(1, length - 1))}…` : text;

export function chartLayout(data: ChartData, kind: ChartKind, width: number, height: number): ChartLayout {
  const legend = data.series.length > 1 ? legendItems(data, width) : [];
  const top = 30 + (legend.at(-1)?.top ?? -LEGEND_ROW) + LEGEND_ROW;
  const bottom = Math.max(top + 40, height - 44);
  const y = scaleLinear(yDomain(data, kind), [bottom, top]).nice();
  const yTexts = y.ticks(Math.max(2, Math.floor((bottom - top) / 44)));
  const yText = numberFormat(y, yTexts.length);
  const yTicks = yTexts.map((tick) => ({ at: y(tick), text: yText(tick) }));
  const left = 14 + Math.max(3, ...yTicks.map(({ text }) => text.length)) * CHARACTER;
  const right = Math.max(left + 60, width - 16);
  return { left, right, top, bottom, legend, yTicks, y, ...xScale(data, left, right) };
}

function legendItems({ series }: ChartData, width: number): readonly LegendItem[] {
  let left = 12;
  let top = 8;
  return series.map(({ name }) => {
    const text = shortText(name);
    const size = text.length * CHARACTER + 34;
    if (left > 12 && left + size > width) {
      left = 12;
      top += LEGEND_ROW;
    }
    const item = { left, top, text };
    left += size;
    return item;
  });
}

/** Bars and areas begin at 0; the others show the range of the values. */
function yDomain({ series }: ChartData, kind: ChartKind): [number, number] {
  let low = kind === "bar" || kind === "area" ? 0 : Number.POSITIVE_INFINITY;
  let high = kind === "bar" || kind === "area" ? 0 : Number.NEGATIVE_INFINITY;
  for (const { points } of series)
    for (const { y } of points) {
      if (y === undefined) continue;
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
  return widened(low, high);
}

function widened(low: number, high: number): [number, number] {
  if (low > high) return [0, 1];
  const pad = low === high ? Math.max(1, Math.abs(low) * 0.05) : 0;
  return [low - (low === 0 ? 0 : pad), high + pad];
}

function xScale({ xKind, categories, stops, series }: ChartData, left: number, right: number) {
  if (xKind === "category") {
    const band = (right - left) / Math.max(1, categories.length);
    const x = (index: number) => left + band * (index + 0.5);
    const longest = categories.reduce((most, { length }) => Math.max(most, length), 0);
    const step = Math.max(1, Math.ceil((WIDE_CHARACTER * Math.min(longest, 14) + 10) / band));
    const length = Math.floor((band * step - 6) / WIDE_CHARACTER);
    const xTicks = categories.flatMap((text, index) =>
      index % step === 0 ? [{ at: x(index), text: shortText(text, Math.min(LABEL_LENGTH, length)) }] : [],
    );
    return { band, x, xTicks };
  }
  const ends = series.flatMap(({ points }) => points.map(({ x, xEnd }) => xEnd ?? x));
  const low = stops[0]?.x ?? Number.POSITIVE_INFINITY;
  const high = ends.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const domain = widened(low, high);
  // A time scale of one day and of a millisecond reads well, one of a number of milliseconds does not.
  const day = 86_400_000;
  if (xKind === "time") {
    const x = scaleUtc(low === high ? [low - day, high + day] : domain, [left, right]);
    const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 100)));
    const text = x.tickFormat();
    return { band: 0, x, xTicks: ticks.map((tick) => ({ at: x(tick), text: text(tick) })) };
  }
  const x = scaleLinear(domain, [left, right]);
  const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 90)));
  const text = numberFormat(x, ticks.length);
  return { band: 0, x, xTicks: ticks.map((tick) => ({ at: x(tick), text: text(tick) })) };
}

type LinearScale = ReturnType<typeof scaleLinear<number>>;

/** Large numbers have a letter for their thousands, very large and very small ones an exponent. */
function numberFormat(scale: LinearScale, count: number): (value: number) => string {
  const size = Math.max(...scale.domain().map(Math.abs));
  const text = scale.tickFormat(count, size >= 1e15 || size < 1e-4 ? "~e" : size >= 1e6 ? "~s" : undefined);
  return (value) => (value === 0 ? "0" : text(value));
}

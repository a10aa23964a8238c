import type { ChartColumn, ChartColumnKind } from "./chart-column.ts";
import type { ChartSettings } from "./chart-settings.ts";

const DEFAULT_BINS = 200;
const HISTOGRAM_BINS = 50;
/** More rows would be more bars than anyone reads, and mostly repeat their names. */
const MAX_SINGLE_BARS = 60;

/** Returns a chart that suits the columns of a result; undefined if it has none. */
export function firstGuess(columns: readonly ChartColumn[], rowCount: number): ChartSettings | undefined {
  const named = (kind: ChartColumnKind) => columns.filter((column) => column.kind === kind).map(({ name }) => name);
  const numbers = named("number");
  const [number, second] = numbers;
  const [time] = named("time");
  const texts = named("text");
  const settings = { y: number === undefined ? [] : [number], measure: "none", grouping: "value" } as const;
  if (number !== undefined) {
    if (rowCount === 1) return { ...settings, kind: "number", y: numbers.slice(0, 8) };
    if (time !== undefined) {
      const series = texts.length === 1 && second === undefined ? texts[0] : undefined;
      return { ...settings, kind: "line", x: time, series, grouping: DEFAULT_BINS };
    }
    if (texts[0] !== undefined)
      return { ...settings, kind: "bar", x: texts[0], measure: rowCount > MAX_SINGLE_BARS ? "mean" : "none" };
    if (second !== undefined) return { ...settings, kind: "scatter", x: number, y: [second], grouping: DEFAULT_BINS };
    return { ...settings, kind: "bar", x: number, y: [], measure: "count", grouping: HISTOGRAM_BINS };
  }
  const x = texts[0] ?? time ?? columns[0]?.name;
  if (x === undefined) return undefined;
  return { ...settings, kind: "bar", x, measure: "count", grouping: x === time ? HISTOGRAM_BINS : "value" };
}

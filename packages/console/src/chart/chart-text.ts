import { visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import type { ChartData } from "./chart-data.ts";
import { MAX_SERIES } from "./chart-data.ts";
import type { ChartPlan } from "./chart-plan.ts";
import type { Measure } from "./chart-settings.ts";

/** Groups of a reduction. */
export interface ChartGroups {
  readonly count: number;
  /** Groups that the service returned: the first ones. */
  readonly returned: number;
  /** Intervals of x, also those without rows; undefined for values and units of time. */
  readonly intervals: number | undefined;
  /** False if the values are estimates. */
  readonly isExact: boolean;
}

/** Numbers of rows and groups behind a chart. */
export interface ChartExtent {
  /** Rows that meet the filters. */
  readonly rowCount: number;
  readonly isFiltered: boolean;
  /** Undefined if each row is drawn. */
  readonly groups?: ChartGroups | undefined;
}

const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  none: "each row",
  mean: "mean",
  sum: "sum",
  min: "lowest",
  max: "highest",
  count: "count of rows",
  countDistinct: "count of different values",
};

export const measureName = (measure: Measure): string => MEASURE_NAMES[measure];

/** Returns the name of values of a column: `mean of price`. */
export function valueName(measure: Measure, column: string): string {
  if (measure === "count") return MEASURE_NAMES.count;
  return measure === "none" ? column : `${MEASURE_NAMES[measure]} of ${column}`;
}

const count = (value: number, noun: string): string => `${countText(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Says which values a chart shows, of which rows. */
export function chartTitle({ source, kind, x, y, series, measure, grouping }: ChartPlan, extent: ChartExtent): string {
  const rows = `${count(extent.rowCount, "row")}${extent.isFiltered ? " that meet the filters" : ""}`;
  const names = measure === "count" ? [MEASURE_NAMES.count] : y.map(({ name }) => valueName(measure, name));
  const values = visible(names.join(", "));
  if (kind === "number") return `${values}: ${extent.rowCount === 1 ? "the row" : `row 1 of ${rows}`}`;
  const name = visible(x?.name ?? "");
  const by =
    typeof grouping === "number"
      ? `${count(extent.groups?.intervals ?? grouping, "interval")} of ${name}`
      : `${grouping} of ${name}`;
  const place = source === "rows" ? name : by;
  const each = series === undefined ? "" : ` and ${visible(series.name)}`;
  return `${values} by ${place}${each}: ${rows}${source === "rows" ? ", each drawn" : ""}`;
}

/** Says what a chart does not show, one sentence for each reason. */
export function leftOutTexts(
  { leftOut }: ChartData,
  { kind, x, series }: ChartPlan,
  { groups }: ChartExtent,
): string[] {
  const { rowsWithoutX, nullValues, otherValues } = leftOut;
  const texts: string[] = [];
  // Figures show each value as it is.
  if (kind === "number") return texts;
  if (groups !== undefined && groups.returned < groups.count)
    texts.push(
      `Only the first ${countText(groups.returned)} of ${count(groups.count, "group")} are drawn; add a filter or choose fewer intervals.`,
    );
  if (groups?.isExact === false) texts.push("The values are estimates.");
  if (leftOut.series > 0)
    texts.push(
      `${count(leftOut.series, "further value")} of ${visible(series?.name ?? "")} with ${count(leftOut.seriesValues, "point")}, not drawn: a chart has at most ${MAX_SERIES} series.`,
    );
  if (rowsWithoutX > 0)
    texts.push(`${count(rowsWithoutX, "row")} without a place on the axis of ${visible(x?.name ?? "")}: not drawn.`);
  if (nullValues > 0) texts.push(`${count(nullValues, "NULL value")}: gaps.`);
  if (otherValues > 0) texts.push(`${count(otherValues, "value")} not finite: gaps.`);
  return texts;
}

/** Describes a chart for those who cannot see it. */
export function chartSummary(title: string, kind: string, data: ChartData): string {
  const drawn = data.series.flatMap(({ points }) => points.filter(({ y }) => y !== undefined));
  const low = drawn.reduce((one, other) => ((other.y ?? 0) < (one?.y ?? Infinity) ? other : one), drawn[0]);
  const high = drawn.reduce((one, other) => ((other.y ?? 0) > (one?.y ?? -Infinity) ? other : one), drawn[0]);
  const range = low === undefined ? "" : ` Lowest value ${low.text}, highest value ${high?.text}.`;
  const series = data.series.length > 1 ? ` in ${data.series.length} series` : "";
  const name = `${kind[0]?.toUpperCase()}${kind.slice(1)} chart`;
  return `${name} of ${title}. ${count(drawn.length, "point")}${series}.${range}`;
}

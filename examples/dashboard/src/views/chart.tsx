import type { UntypedRow } from "@quern/client";
import { Legend, Tooltip } from "recharts";
import { cellText } from "../number.ts";

export interface ChartProps {
  readonly rows: readonly UntypedRow[];
  readonly x: string;
  readonly y: string;
}

export interface SeriesChartProps extends ChartProps {
  /** Column whose values divide the rows into series; without it there is one series. */
  readonly series?: string;
}

/** Properties of all charts: they fill their panel and have no animation. */
export const frame = { responsive: true, className: "chart", margin: { top: 8, right: 8, bottom: 0, left: 0 } };
export const still = { isAnimationActive: false };
export const axis = { stroke: "var(--quiet)", tickLine: false, axisLine: false, fontSize: 12 };
export const grid = { stroke: "var(--line)" };

export const colour = (index: number) => `var(--series-${index % 6})`;

export const hint = (
  <Tooltip
    formatter={cellText}
    isAnimationActive={false}
    cursor={{ fill: "var(--line)", stroke: "var(--quiet)", fillOpacity: 0.5 }}
    contentStyle={{ background: "var(--panel)", border: "1px solid var(--line)", borderRadius: 6 }}
    itemStyle={{ color: "var(--text)" }}
  />
);

export const legend = <Legend iconSize={10} formatter={(name: string) => <span className="legend">{name}</span>} />;

/** Groups rows by series, in the order of their first row. */
export function seriesOf(rows: readonly UntypedRow[], series: string | undefined, single: string) {
  return Map.groupBy(rows, (row) => (series === undefined ? single : String(row[series])));
}

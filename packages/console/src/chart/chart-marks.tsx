import { area, line } from "d3-shape";
import type { ChartData, ChartPoint, ChartSeries } from "./chart-data.ts";
import type { ChartLayout } from "./chart-layout.ts";
import type { ChartKind } from "./chart-settings.ts";

interface ChartMarksProps {
  readonly data: ChartData;
  readonly kind: ChartKind;
  readonly layout: ChartLayout;
}

/** Colours; further series have them again, with dashes. */
const COLOURS = 8;

export const seriesClass = (index: number): string =>
  `series-${index % COLOURS}${index >= COLOURS ? ` dashed-${Math.floor(index / COLOURS)}` : ""}`;

/** The values of a chart. A series is one path, so that thousands of values cost one element. */
export function ChartMarks({ data, kind, layout }: ChartMarksProps) {
  return data.series.map((series, index) => (
    <g key={index} className={`marks ${seriesClass(index)}`}>
      {kind === "area" && <path className="area" d={areaPath(series, layout)} />}
      {(kind === "line" || kind === "area") && <path className="line" d={linePath(series, layout)} />}
      {kind === "scatter" && <path className="dots" d={dotsPath(series, layout)} />}
      {kind === "bar" && <path className="bars" d={barsPath(series, index, data, layout)} />}
    </g>
  ));
}

const isDrawn = ({ y }: ChartPoint): boolean => y !== undefined;

const centerOf = ({ x, xEnd }: ChartPoint): number => (xEnd === undefined ? x : (x + xEnd) / 2);

const linePath = ({ points }: ChartSeries, { x, y }: ChartLayout): string =>
  line<ChartPoint>(
    (point) => x(centerOf(point)),
    (point) => y(point.y ?? 0),
  ).defined(isDrawn)(points) ?? "";

const areaPath = ({ points }: ChartSeries, { x, y }: ChartLayout): string =>
  area<ChartPoint>(
    (point) => x(centerOf(point)),
    y(0),
    (point) => y(point.y ?? 0),
  ).defined(isDrawn)(points) ?? "";

/** A line without length and with round ends is a dot. */
const dotsPath = ({ points }: ChartSeries, { x, y }: ChartLayout): string =>
  points
    .filter(isDrawn)
    .map((point) => `M${pixel(x(centerOf(point)))},${pixel(y(point.y ?? 0))}h0`)
    .join("");

/** Bars of several series share the width of their category or interval. */
function barsPath({ points }: ChartSeries, index: number, { series }: ChartData, layout: ChartLayout): string {
  const { x, y, band } = layout;
  const zero = y(0);
  return points
    .filter(isDrawn)
    .map((point) => {
      const [from, to] =
        point.xEnd === undefined ? [x(point.x) - band * 0.4, x(point.x) + band * 0.4] : [x(point.x), x(point.xEnd)];
      const width = (to - from) / series.length;
      const gap = point.xEnd !== undefined && width > 4 ? 1 : 0;
      const left = from + width * index;
      return `M${pixel(left)},${pixel(zero)}V${pixel(y(point.y ?? 0))}h${pixel(Math.max(0.3, width - gap))}V${pixel(zero)}Z`;
    })
    .join("");
}

const pixel = (value: number): number => Math.round(value * 100) / 100;

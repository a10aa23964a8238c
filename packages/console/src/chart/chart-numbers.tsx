import type { Ref } from "react";
import { visible } from "../grid/cell-text.ts";
import type { ChartData } from "./chart-data.ts";
import { shortText } from "./chart-layout.ts";
import { seriesClass } from "./chart-marks.tsx";

interface ChartNumbersProps {
  readonly data: ChartData;
  readonly width: number;
  readonly summary: string;
  readonly ref: Ref<SVGSVGElement>;
}

const CELL_WIDTH = 280;
const CELL_HEIGHT = 110;
/** Width of a digit, as a share of the size of its font. */
const DIGIT_WIDTH = 0.64;
const MAX_FONT = 34;

/** The values of a row as large figures, with all their digits. */
export function ChartNumbers({ data, width, summary, ref }: ChartNumbersProps) {
  const inRow = Math.max(1, Math.floor(width / CELL_WIDTH));
  const height = Math.ceil(data.series.length / inRow) * CELL_HEIGHT + 16;
  return (
    <svg
      ref={ref}
      className="chart-picture"
      role="img"
      aria-label={summary}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      {data.series.map(({ name, points }, index) => {
        const left = 20 + (index % inRow) * CELL_WIDTH;
        const top = 8 + Math.floor(index / inRow) * CELL_HEIGHT;
        const text = visible(points[0]?.text ?? "NULL");
        const size = Math.min(MAX_FONT, (CELL_WIDTH - 24) / (DIGIT_WIDTH * text.length));
        return (
          <g key={index} className={seriesClass(index)}>
            <text className="name" x={left} y={top + 24}>
              {shortText(name, 36)}
            </text>
            <text className="figure" fontSize={size.toFixed(1)} x={left} y={top + 72}>
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

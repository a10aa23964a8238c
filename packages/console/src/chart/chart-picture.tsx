import type { PointerEvent, Ref } from "react";
import type { ChartData } from "./chart-data.ts";
import { type ChartLayout, shortText } from "./chart-layout.ts";
import { ChartMarks, seriesClass } from "./chart-marks.tsx";
import type { ChartKind } from "./chart-settings.ts";

interface ChartPictureProps {
  readonly data: ChartData;
  readonly kind: ChartKind;
  readonly layout: ChartLayout;
  readonly width: number;
  readonly height: number;
  readonly xName: string;
  readonly yName: string;
  /** The chart in words. */
  readonly summary: string;
  /** Place of x that the read-out shows. */
  readonly center: number | undefined;
  /** Called with the pixels from the left under the pointer. */
  readonly onPoint: (left: number) => void;
  readonly ref: Ref<SVGSVGElement>;
}

/** A chart as an SVG element: axes, legend and values. Its texts are text nodes, and its forms have attributes only. */
export function ChartPicture(props: ChartPictureProps) {
  const { data, kind, layout, width, height, xName, yName, summary, center, onPoint, ref } = props;
  const { left, right, top, bottom, xTicks, yTicks, legend, x } = layout;
  const zero = layout.y(0);
  const point = (event: PointerEvent<SVGSVGElement>) =>
    onPoint(event.clientX - event.currentTarget.getBoundingClientRect().left);
  return (
    <svg
      ref={ref}
      className="chart-picture"
      role="img"
      aria-label={summary}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      onPointerMove={point}
      onPointerDown={point}
    >
      {yTicks.map(({ at, text }) => (
        <g key={at}>
          <line className="rule" x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 7} y={at} dy="0.32em" textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      <line className="axis" x1={left} x2={right} y1={bottom} y2={bottom} />
      {zero > top && zero < bottom && <line className="axis" x1={left} x2={right} y1={zero} y2={zero} />}
      {xTicks.map(({ at, text }) => (
        <g key={at}>
          <line className="axis" x1={at} x2={at} y1={bottom} y2={bottom + 5} />
          <text x={at} y={bottom + 18} textAnchor={at + text.length * 4 > width ? "end" : "middle"}>
            {text}
          </text>
        </g>
      ))}
      <text className="name" x={8} y={top - 12}>
        {`↑ ${shortText(yName, 80)}`}
      </text>
      <text className="name" x={right} y={height - 8} textAnchor="end">
        {`${shortText(xName, 80)} →`}
      </text>
      {legend.map(({ left: at, top: above, text }, index) => (
        <g key={index} className={`marks ${seriesClass(index)}`}>
          <line className="line" x1={at} x2={at + 16} y1={above + 6} y2={above + 6} />
          <text x={at + 21} y={above + 6} dy="0.32em">
            {text}
          </text>
        </g>
      ))}
      <ChartMarks data={data} kind={kind} layout={layout} />
      {center !== undefined && <line className="cursor" x1={x(center)} x2={x(center)} y1={top} y2={bottom} />}
    </svg>
  );
}

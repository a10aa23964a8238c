import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { visible } from "../grid/cell-text.ts";
import { Menu } from "../share/menu.tsx";
import { pngOf, saveFile, svgText } from "./chart-export.ts";
import { chartLayout } from "./chart-layout.ts";
import { ChartNumbers } from "./chart-numbers.tsx";
import { ChartPicture } from "./chart-picture.tsx";
import { ChartReadOut } from "./chart-read-out.tsx";
import { ChartTable } from "./chart-table.tsx";
import { chartSummary, chartTitle, leftOutTexts, valueName } from "./chart-text.ts";
import type { ReadChart } from "./read-chart.ts";

interface ChartFigureProps {
  readonly chart: ReadChart;
  readonly fileName: string;
  /** True while the figure still shows what was chosen before. */
  readonly isStale: boolean;
}

/** Pixels of a PNG file in a pixel of the page. */
const PNG_SCALE = 2;

/** A chart with its title, what it leaves out, the read-out of its values, and its files. */
export function ChartFigure({ chart, fileName, isStale }: ChartFigureProps) {
  const { plan, data, extent } = chart;
  const picture = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const [index, setIndex] = useState<number>();
  const [isTable, setTable] = useState(false);
  const [failure, setFailure] = useState<string>();
  const layout = useMemo(() => chartLayout(data, plan.kind, width, height), [data, plan.kind, width, height]);
  const title = chartTitle(plan, extent);
  const summary = chartSummary(title, plan.kind, data);
  const leftOut = leftOutTexts(data, plan, extent);
  const xName = visible(plan.x?.name ?? "");
  const [firstY] = plan.y;
  const yName =
    data.series.length > 1 && plan.y.length > 1 ? "value" : visible(valueName(plan.measure, firstY?.name ?? ""));
  const shown = index === undefined ? undefined : Math.min(index, data.stops.length - 1);

  function pointAt(left: number) {
    let nearest = 0;
    const distance = (at: number) => Math.abs(layout.x(data.stops[at]?.center ?? 0) - left);
    for (let at = 1; at < data.stops.length; at++) if (distance(at) < distance(nearest)) nearest = at;
    if (data.stops.length > 0) setIndex(nearest);
  }
  async function save(format: "SVG" | "PNG") {
    const { current } = picture;
    if (current === null) return;
    try {
      const { width: pictureWidth, height: pictureHeight } = current.viewBox.baseVal;
      const text = svgText(current, [title, ...leftOut].join(" "));
      const name = `${fileName}.${format.toLowerCase()}`;
      if (format === "SVG") saveFile(new Blob([text], { type: "image/svg+xml" }), name);
      else saveFile(await pngOf(text, pictureWidth, pictureHeight, PNG_SCALE), name);
      setFailure(undefined);
    } catch (error) {
      setFailure(`Cannot write the file: ${Object(error).message}`);
    }
  }
  const isNumber = plan.kind === "number";
  return (
    <figure className="chart-figure" aria-busy={isStale}>
      <figcaption className="toolbar">
        <strong>{title}</strong>
        {!isNumber && (
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            Values
          </button>
        )}
        <Menu
          label="Save picture"
          items={(["SVG", "PNG"] as const).map((format) => ({ label: format, onSelect: () => void save(format) }))}
        />
        {leftOut.map((text) => (
          <span key={text} className="left-out">
            {text}
          </span>
        ))}
        {failure !== undefined && (
          <span role="alert" className="failure">
            {failure}
          </span>
        )}
      </figcaption>
      <div className="chart-split">
        <div ref={box} className="chart-box">
          {isNumber ? (
            <ChartNumbers ref={picture} data={data} width={width} summary={summary} />
          ) : (
            <ChartPicture
              ref={picture}
              data={data}
              kind={plan.kind}
              layout={layout}
              width={width}
              height={height}
              xName={xName}
              yName={yName}
              summary={summary}
              center={shown === undefined ? undefined : data.stops[shown]?.center}
              onPoint={pointAt}
            />
          )}
        </div>
        {isTable && !isNumber && <ChartTable data={data} xName={xName} yName={yName} />}
      </div>
      {!isNumber && <ChartReadOut data={data} xName={xName} index={shown} onIndex={setIndex} />}
    </figure>
  );
}

const MIN_SIZE = { width: 300, height: 220 };

/** Size of an element in pixels, at least that of a small chart. */
function useSize(box: React.RefObject<HTMLElement | null>) {
  const [size, setSize] = useState(MIN_SIZE);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () =>
      setSize({
        width: Math.max(MIN_SIZE.width, element.clientWidth),
        height: Math.max(MIN_SIZE.height, element.clientHeight),
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

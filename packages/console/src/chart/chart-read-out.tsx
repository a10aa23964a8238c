import { visible } from "../grid/cell-text.ts";
import type { ChartData } from "./chart-data.ts";
import { seriesClass } from "./chart-marks.tsx";

interface ChartReadOutProps {
  readonly data: ChartData;
  readonly xName: string;
  /** Index of the stop; undefined before the first choice. */
  readonly index: number | undefined;
  readonly onIndex: (index: number) => void;
}

const SHOWN_VALUES = 20;

/** The exact values at a place of x, which the pointer or a slider chooses. */
export function ChartReadOut({ data, xName, index, onIndex }: ChartReadOutProps) {
  const stop = index === undefined ? undefined : data.stops[index];
  const values = (stop?.values ?? []).slice(0, SHOWN_VALUES);
  const more = (stop?.values.length ?? 0) - values.length;
  const nameOf = (series: number) => data.series[series]?.name ?? "";
  const texts = values.map(({ series, text }) => `${nameOf(series)}: ${visible(text)}`);
  return (
    <div className="read-out">
      <label>
        Point{" "}
        <input
          type="range"
          min={0}
          max={Math.max(0, data.stops.length - 1)}
          value={index ?? 0}
          aria-valuetext={stop === undefined ? "none" : [`${xName}: ${stop.text}`, ...texts].join("; ")}
          onChange={({ target }) => onIndex(Number(target.value))}
        />
      </label>
      {stop === undefined ? (
        <span className="quiet">Point at the chart, or move the slider with the arrow keys.</span>
      ) : (
        <output>
          <span>
            {xName}: <bdi>{stop.text}</bdi>
          </span>
          {values.map(({ series, text }, position) => (
            <span key={position} className={`marks ${seriesClass(series)}`}>
              <i aria-hidden="true" /> {nameOf(series)}:{" "}
              <bdi className={text === "NULL" ? "null" : "number"}>{visible(text)}</bdi>
            </span>
          ))}
          {more > 0 && <span className="quiet">{`and ${more.toLocaleString("en-US")} more`}</span>}
        </output>
      )}
    </div>
  );
}

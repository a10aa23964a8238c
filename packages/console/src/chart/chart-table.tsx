import { useMemo, useState } from "react";
import { cellText } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import type { ChartData } from "./chart-data.ts";

const PAGE = 100;

interface ChartTableProps {
  readonly data: ChartData;
  readonly xName: string;
  readonly yName: string;
}

/** The values of a chart, exactly, in pages. */
export function ChartTable({ data, xName, yName }: ChartTableProps) {
  const [chosen, setFirst] = useState(0);
  const rows = useMemo(
    () => data.stops.flatMap(({ text, values }) => values.map((value) => ({ place: text, ...value }))),
    [data],
  );
  const first = Math.min(chosen, Math.max(0, rows.length - 1));
  const end = Math.min(rows.length, first + PAGE);
  const hasSeries = data.series.length > 1;
  return (
    <section className="chart-table" aria-label="Values of the chart">
      <div className="toolbar">
        <span role="status">{`Values ${countText(Math.min(first + 1, rows.length))} to ${countText(end)} of ${countText(rows.length)}`}</span>
        <button type="button" disabled={first === 0} onClick={() => setFirst(Math.max(0, first - PAGE))}>
          Previous
        </button>
        <button type="button" disabled={end === rows.length} onClick={() => setFirst(first + PAGE)}>
          Next
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Table of values">
        <table>
          <thead>
            <tr>
              <th scope="col">{xName}</th>
              {hasSeries && <th scope="col">Series</th>}
              <th scope="col">{hasSeries ? "Value" : yName}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(first, end).map(({ place, series, text }, index) => (
              <tr key={index}>
                <td>
                  <bdi>{place}</bdi>
                </td>
                {hasSeries && (
                  <td>
                    <bdi>{data.series[series]?.name}</bdi>
                  </td>
                )}
                <td className="number">
                  <bdi>{cellText(text)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

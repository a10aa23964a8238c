import { CartesianGrid, Line, LineChart, XAxis, YAxis } from "recharts";
import { shortNumber } from "../number.ts";
import { axis, colour, frame, grid, hint, legend, type SeriesChartProps, seriesOf, still } from "./chart.tsx";

/** A line for each series. */
export function Lines({ rows, x, y, series }: SeriesChartProps) {
  const lines = seriesOf(rows, series, y);
  // One row for each place on the axis, with a cell for each line.
  const places = Map.groupBy(rows, (row) => row[x]);
  const data = [...places].map(([place, there]) => ({
    place,
    cells: new Map(there.map((row) => [series === undefined ? y : String(row[series]), row[y]])),
  }));
  return (
    <LineChart {...frame} data={data}>
      <CartesianGrid {...grid} vertical={false} />
      <XAxis {...axis} dataKey="place" minTickGap={32} />
      <YAxis {...axis} width={44} tickFormatter={shortNumber} domain={["auto", "auto"]} />
      {hint}
      {lines.size > 1 && legend}
      {[...lines.keys()].map((name, index) => (
        <Line
          {...still}
          key={name}
          name={name}
          dataKey={({ cells }: (typeof data)[number]) => cells.get(name)}
          stroke={colour(index)}
          strokeWidth={2}
          dot={false}
          connectNulls
        />
      ))}
    </LineChart>
  );
}

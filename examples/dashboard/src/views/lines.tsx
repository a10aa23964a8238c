import { CartesianGrid, Line, LineChart, XAxis, YAxis } from "recharts";
import { shortNumber } from "../number.ts";
import { axis, colour, frame, grid, hint, legend, type SeriesChartProps, seriesOf, still } from "./chart.tsx";

/** One line for each series. */
export function Lines({ rows, x, y, series }: SeriesChartProps) {
  const lines = seriesOf(rows, series, y);
  // One entry for each position on the x axis, with a value for each line.
  const positions = Map.groupBy(rows, (row) => row[x]);
  const data = [...positions].map(([position, group]) => ({
    position,
    cells: new Map(group.map((row) => [series === undefined ? y : String(row[series]), row[y]])),
  }));
  return (
    <LineChart {...frame} data={data}>
      <CartesianGrid {...grid} vertical={false} />
      <XAxis {...axis} dataKey="position" minTickGap={32} />
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

import { CartesianGrid, Scatter, ScatterChart, XAxis, YAxis } from "recharts";
import { shortNumber } from "../number.ts";
import { axis, colour, frame, grid, hint, legend, type SeriesChartProps, seriesOf, still } from "./chart.tsx";

const label = (column: string) => ({ name: column.replaceAll("_", " "), dataKey: column });

/** One point for each row, coloured by series. */
export function Points({ rows, x, y, series }: SeriesChartProps) {
  const clouds = seriesOf(rows, series, y);
  return (
    <ScatterChart {...frame}>
      <CartesianGrid {...grid} />
      <XAxis {...axis} {...label(x)} type="number" domain={["auto", "auto"]} tickFormatter={shortNumber} />
      <YAxis {...axis} {...label(y)} type="number" domain={["auto", "auto"]} tickFormatter={shortNumber} width={44} />
      {hint}
      {clouds.size > 1 && legend}
      {[...clouds].map(([name, points], index) => (
        <Scatter {...still} key={name} name={name} data={points} fill={colour(index)} fillOpacity={0.65} />
      ))}
    </ScatterChart>
  );
}

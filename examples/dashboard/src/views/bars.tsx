import { Bar, BarChart, CartesianGrid, XAxis, YAxis } from "recharts";
import { shortNumber } from "../number.ts";
import { axis, type ChartProps, colour, frame, grid, hint, still } from "./chart.tsx";

/** Horizontal bars, for categories. */
export function Bars({ rows, x, y }: ChartProps) {
  return (
    <BarChart {...frame} data={[...rows]} layout="vertical">
      <CartesianGrid {...grid} horizontal={false} />
      <XAxis {...axis} type="number" tickFormatter={shortNumber} />
      <YAxis {...axis} type="category" dataKey={x} width={120} interval={0} />
      {hint}
      <Bar {...still} dataKey={y} fill={colour(0)} radius={3} />
    </BarChart>
  );
}

import { Bar, BarChart, CartesianGrid, XAxis, YAxis } from "recharts";
import { shortNumber } from "../number.ts";
import { axis, type ChartProps, colour, frame, grid, hint, still } from "./chart.tsx";

/** Vertical bars, for ordered values. */
export function Columns({ rows, x, y }: ChartProps) {
  return (
    <BarChart {...frame} data={[...rows]}>
      <CartesianGrid {...grid} vertical={false} />
      <XAxis {...axis} dataKey={x} minTickGap={4} />
      <YAxis {...axis} width={44} tickFormatter={shortNumber} />
      {hint}
      <Bar {...still} dataKey={y} fill={colour(0)} radius={3} />
    </BarChart>
  );
}

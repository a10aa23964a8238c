import type { Client } from "@quern/client";
import { readRows } from "../grid/read-rows.ts";
import { type ChartData, type ChartEntry, chartData } from "./chart-data.ts";
import type { ChartPlan, ChartRequest } from "./chart-plan.ts";
import type { ChartExtent } from "./chart-text.ts";
import { readGroups } from "./read-groups.ts";

/** A chart that has been read, with the plan and the rows that it shows. */
export interface ReadChart {
  readonly plan: ChartPlan;
  readonly data: ChartData;
  readonly extent: ChartExtent;
}

/** Reads the points of a chart from a stored result. */
export async function readChart(client: Client, request: ChartRequest): Promise<ReadChart> {
  const { plan, view, rowCount } = request;
  const isFiltered = view.filters.length > 0;
  if (plan.source === "groups") {
    const { entries, ...extent } = await readGroups(client, request);
    return { plan, data: chartData(plan.xKind, entries), extent: { ...extent, isFiltered } };
  }
  const entries = await readRowEntries(client, request);
  return { plan, data: chartData(plan.xKind, entries), extent: { rowCount, isFiltered } };
}

async function readRowEntries(client: Client, request: ChartRequest): Promise<readonly ChartEntry[]> {
  const { queryRunId, view, rowCount, plan, signal } = request;
  const { x, y, series } = plan;
  const keys = [x, series].filter((column) => column !== undefined);
  const { rows } = await readRows(client, {
    queryRunId,
    view,
    firstRow: 0,
    endRow: plan.kind === "number" ? Math.min(1, rowCount) : rowCount,
    columns: [...keys, ...y].map(({ index }) => index),
    signal,
  });
  return rows.flatMap((row) =>
    y.map(({ name }, index) => ({
      y: name,
      x: x === undefined ? "" : row[0],
      group: series === undefined ? undefined : row[keys.length - 1],
      value: row[keys.length + index],
      rowCount: index === 0 ? 1 : 0,
    })),
  );
}

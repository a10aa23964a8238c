import type { GetQueryRunResultsResult, QuernError } from "@quern/client";
import { serviceKey, useClient } from "@quern/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { GridView } from "../grid/grid-view.ts";
import { chartColumns } from "./chart-column.ts";
import { ChartFigure } from "./chart-figure.tsx";
import { ChartPickers } from "./chart-pickers.tsx";
import { type ChartPlan, chartPlan } from "./chart-plan.ts";
import { type ChartSettings, fittingSettings } from "./chart-settings.ts";
import { firstGuess } from "./first-guess.ts";
import { type ReadChart, readChart } from "./read-chart.ts";
import "./chart.css";

interface ChartViewProps {
  readonly queryRunId: string;
  readonly head: GetQueryRunResultsResult;
  readonly view: GridView;
  /** Rows that meet the filters of the view. */
  readonly rowCount: number;
  readonly fileName: string;
  /** Settings of the user, which a result without their columns does not use. */
  readonly settings: ChartSettings | undefined;
  readonly onSettings: (settings: ChartSettings) => void;
}

/** Chart of a stored result: what to draw, and the drawing. */
export function ChartView({ queryRunId, head, view, rowCount, fileName, settings, onSettings }: ChartViewProps) {
  const client = useClient();
  const columns = useMemo(() => chartColumns(head), [head]);
  const used = fittingSettings(settings, columns) ?? firstGuess(columns, rowCount);
  const planned = used === undefined ? "The result has no columns." : chartPlan(used, columns, rowCount);
  const plan: ChartPlan | undefined = typeof planned === "string" ? undefined : planned;
  const { data, error, isFetching, isPlaceholderData } = useQuery<ReadChart, QuernError>({
    queryKey: [...serviceKey(client), "chart", queryRunId, view, plan],
    queryFn: ({ signal }) => {
      if (plan === undefined) throw new Error("The chart has no plan.");
      return readChart(client, { queryRunId, view, rowCount, plan, signal });
    },
    enabled: plan !== undefined && rowCount > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    networkMode: "always",
  });
  const message = typeof planned === "string" ? planned : rowCount === 0 ? "There are no rows to draw." : undefined;
  return (
    <div className="chart">
      {used !== undefined && (
        <ChartPickers columns={columns} settings={used} plan={plan} rowCount={rowCount} onChange={onSettings} />
      )}
      {message !== undefined && <p className="message">{message}</p>}
      {message === undefined && error !== null && (
        <p role="alert" className="message failure">
          {error.message}
        </p>
      )}
      {message === undefined && error === null && data === undefined && <p className="message">Reading the chart…</p>}
      {message === undefined && error === null && data !== undefined && (
        <ChartFigure chart={data} fileName={fileName} isStale={isFetching && isPlaceholderData} />
      )}
    </div>
  );
}

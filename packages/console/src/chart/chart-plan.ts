import type { GridView } from "../grid/grid-view.ts";
import type { ChartColumn } from "./chart-column.ts";
import type { AxisKind } from "./chart-data.ts";
import type { ChartSettings, Grouping, Measure } from "./chart-settings.ts";

/** Rows that a chart draws one by one; more are reduced by the service. */
export const MAX_ROWS = 5000;

/** Where the points of a chart come from. */
export interface ChartPlan {
  /** `rows`: each row is drawn. `groups`: the service reduces the stored rows. */
  readonly source: "rows" | "groups";
  readonly kind: ChartSettings["kind"];
  readonly x: ChartColumn | undefined;
  readonly xKind: AxisKind;
  readonly y: readonly ChartColumn[];
  readonly series: ChartColumn | undefined;
  readonly measure: Measure;
  readonly grouping: Grouping;
}

/** Points to read of a stored result. */
export interface ChartRequest {
  readonly queryRunId: string;
  readonly view: GridView;
  /** Rows that meet the filters of the view. */
  readonly rowCount: number;
  readonly plan: ChartPlan;
  readonly signal: AbortSignal;
}

/** Returns how to get the points of a chart; a text that says what its settings lack. */
export function chartPlan(
  settings: ChartSettings,
  columns: readonly ChartColumn[],
  rowCount: number,
): ChartPlan | string {
  const { kind, grouping } = settings;
  const named = (name: string | undefined) => columns.find((column) => column.name === name);
  const isReduced = kind !== "number" && (settings.measure !== "none" || rowCount > MAX_ROWS);
  const measure = isReduced && settings.measure === "none" ? "mean" : settings.measure;
  const counts = /^count/.test(measure);
  const y = settings.y.map(named).filter((column) => column !== undefined);
  const x = kind === "number" ? undefined : named(settings.x);
  if (kind !== "number" && x === undefined) return "Choose a column for x.";
  if (y.length === 0 && (measure !== "count" || !isReduced)) return "Choose a column for y.";
  const text = counts ? undefined : y.find((column) => column.kind !== "number");
  if (text !== undefined) return `The column ${text.name} has no numbers; choose another for y, or count its values.`;
  return {
    source: isReduced ? "groups" : "rows",
    kind,
    x,
    xKind: axisKind(kind, x, isReduced, grouping),
    y: measure === "count" && isReduced ? [] : y,
    series: kind === "number" ? undefined : named(settings.series),
    measure: isReduced ? measure : "none",
    grouping: groupingOf(grouping, x),
  };
}

function axisKind(kind: string, x: ChartColumn | undefined, isReduced: boolean, grouping: Grouping): AxisKind {
  if (x === undefined || (x.kind !== "time" && x.kind !== "number")) return "category";
  // A bar needs a width: that of its interval, or that of a category.
  if (kind === "bar" && (!isReduced || groupingOf(grouping, x) === "value")) return "category";
  return x.kind;
}

/** A column of texts has no intervals, and one of numbers none of the calendar. */
function groupingOf(grouping: Grouping, x: ChartColumn | undefined): Grouping {
  if (x?.kind === "time") return grouping;
  return x?.kind === "number" && typeof grouping === "number" ? grouping : "value";
}

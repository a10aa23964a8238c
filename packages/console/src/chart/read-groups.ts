import {
  type Client,
  type Grouping as GroupBy,
  type Measure,
  type SummarizeQueryRunResultsResult,
  summarizeQueryRunResults,
} from "@quern/client";
import type { ChartEntry } from "./chart-data.ts";
import type { ChartPlan, ChartRequest } from "./chart-plan.ts";
import type { Grouping, TimeUnit } from "./chart-settings.ts";
import { type ChartGroups, valueName } from "./chart-text.ts";

interface ReadGroups {
  readonly entries: readonly ChartEntry[];
  readonly rowCount: number;
  readonly groups: ChartGroups;
}

/** Groups that the service returns at most. */
const MAX_GROUPS = 10_000;
const MEASURES_IN_CALL = 4;

/** Asks the service for the groups of a chart. It reduces the stored rows; the statement does not run again. */
export async function readGroups(client: Client, request: ChartRequest): Promise<ReadGroups> {
  const { queryRunId, view, plan, signal } = request;
  const { x, series, y, measure } = plan;
  if (x === undefined || measure === "none") throw new Error("The chart has no groups.");
  const groupBy: readonly GroupBy[] = [
    { column: x.name, ...groupingParams(plan.grouping) },
    ...(series === undefined || series === x ? [] : [{ column: series.name }]),
  ];
  // The count of rows says how many rows a group without a place stands for.
  const measures: readonly Measure[] = [
    { function: "count" },
    ...y.map(({ name }) => ({ function: measure, column: name })),
  ];
  const { filters } = view;
  const replies = await Promise.all(
    chunks(measures, MEASURES_IN_CALL).map((part) =>
      summarizeQueryRunResults(client, { queryRunId, filters, groupBy, measures: part, limit: MAX_GROUPS }, { signal }),
    ),
  );
  const [first] = replies;
  if (first === undefined) throw new Error("The chart has no measure.");
  // A stored result does not change, so the calls have the same groups in the same order.
  const rows = first.groups.map((group, index) => [
    ...group.slice(0, groupBy.length),
    ...replies.flatMap(({ groups }) => (groups[index] ?? []).slice(groupBy.length)),
  ]);
  return {
    entries: ordered(rows, groupBy.length, request).flatMap((row) => entriesOf(row, groupBy.length, plan, first)),
    rowCount: first.rowCount,
    groups: {
      count: first.groupCount,
      returned: rows.length,
      intervals: first.keys[0]?.bins?.length,
      isExact: replies.every((reply) => reply.measures.every(({ isExact }) => isExact)),
    },
  };
}

const groupingParams = (grouping: Grouping): Partial<GroupBy> =>
  grouping === "value" ? {} : typeof grouping === "number" ? { bins: grouping } : { unit: grouping };

function entriesOf(
  row: readonly unknown[],
  keyCount: number,
  plan: ChartPlan,
  { keys }: SummarizeQueryRunResultsResult,
): readonly ChartEntry[] {
  const { measure, grouping, y, series } = plan;
  const [x] = row;
  const rowCount = Number(row[keyCount]);
  const place = { x, xEnd: endOf(x, grouping, keys[0]?.bins ?? []) };
  const group = series === undefined ? undefined : row[keyCount - 1];
  if (measure === "count") return [{ ...place, group, y: valueName("count", ""), value: row[keyCount], rowCount }];
  return y.map(({ name }, index) => ({
    ...place,
    group,
    y: valueName(measure, name),
    value: row[keyCount + 1 + index],
    rowCount: index === 0 ? rowCount : 0,
  }));
}

/** Returns the end of the interval that begins at a key; undefined for a value without one. */
function endOf(
  key: unknown,
  grouping: Grouping,
  bins: readonly { readonly from?: unknown; readonly to?: unknown }[],
): unknown {
  if (grouping === "value") return undefined;
  if (typeof grouping === "number") return bins.find(({ from }) => from === key)?.to;
  const start = typeof key === "string" ? new Date(key) : undefined;
  return start === undefined || Number.isNaN(start.getTime()) ? undefined : unitEnd(start, grouping).toISOString();
}

const UNIT_MS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const UNIT_MONTHS = { month: 1, quarter: 3, year: 12 } as const;

function unitEnd(start: Date, unit: TimeUnit): Date {
  if (unit !== "month" && unit !== "quarter" && unit !== "year") return new Date(start.getTime() + UNIT_MS[unit]);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + UNIT_MONTHS[unit]);
  return end;
}

/** Puts categories into the order of the view, if it sorts by a column of the chart. */
function ordered(
  rows: readonly (readonly unknown[])[],
  keyCount: number,
  { view, plan }: ChartRequest,
): readonly (readonly unknown[])[] {
  const [first] = view.sortBy;
  if (first === undefined || plan.xKind !== "category") return rows;
  const isNamed = ({ name }: { readonly name: string }) => name.toLowerCase() === first.column.toLowerCase();
  const isDescending = first.direction === "desc";
  if (plan.x !== undefined && isNamed(plan.x)) return isDescending ? rows.toReversed() : rows;
  const index = plan.y.findIndex(isNamed);
  if (index < 0) return rows;
  const sortValue = (row: readonly unknown[]) => Number(row[keyCount + 1 + index]);
  return rows.toSorted((a, b) => (isDescending ? sortValue(b) - sortValue(a) : sortValue(a) - sortValue(b)));
}

const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

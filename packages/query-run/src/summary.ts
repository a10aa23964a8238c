import type { Grouping, GroupKey, GroupMeasure, Measure } from "@quern/protocol/types";
import type { ColumnKind, ResultColumn } from "./record.ts";
import type { LimitIssue } from "./sql-limits.ts";
import { columnIndex, type ViewRefusal } from "./view.ts";

/** Column of the groups of a summary, by index. Without bins and unit, rows are grouped by value. */
export interface GroupColumn extends Pick<Grouping, "bins" | "unit"> {
  readonly index: number;
}

/** Measure of the groups of a summary, by index. Without a column, rows are counted. */
export interface MeasuredColumn extends Pick<Measure, "function"> {
  readonly index: number | undefined;
}

/** Groups and measures of a call, by column index. */
export interface SummaryPlan {
  readonly groupBy: readonly GroupColumn[];
  readonly measures: readonly MeasuredColumn[];
}

/** Members of a call that summarizes rows. */
export interface SummaryMembers {
  readonly groupBy: readonly Grouping[];
  readonly measures: readonly Measure[];
}

/** Kinds of columns that a member takes, and their names in an error. */
interface Taken {
  readonly kinds: readonly ColumnKind[];
  readonly text: string;
}

const numbers: Taken = { kinds: ["number"], text: "numbers" };
const times: Taken = { kinds: ["date"], text: "dates or times" };
const points: Taken = { kinds: ["number", "date"], text: "numbers, dates or times" };
const ordered: Taken = { kinds: ["number", "date", "string"], text: "numbers, dates, times or texts" };
const takenBy: Readonly<Partial<Record<Measure["function"], Taken>>> = {
  sum: numbers,
  mean: numbers,
  min: ordered,
  max: ordered,
};

/** Replaces the column names in groups and measures by column indexes. Returns the reason if the call is invalid. */
export function summaryPlan(
  columns: readonly ResultColumn[],
  { groupBy, measures }: SummaryMembers,
): SummaryPlan | ViewRefusal {
  const groups: GroupColumn[] = [];
  for (const [at, { column, bins, unit }] of groupBy.entries()) {
    const index = columnIndex(columns, column);
    if (index < 0) return { unknownColumn: column, member: "groupBy" };
    const pointer = `/groupBy/${at}`;
    if (bins !== undefined && unit !== undefined)
      return { issue: { pointer, expected: "either bins or unit", received: "both" } };
    const issue =
      (bins === undefined ? undefined : kindIssue(columns[index], points, `${pointer}/bins`)) ??
      (unit === undefined ? undefined : kindIssue(columns[index], times, `${pointer}/unit`));
    if (issue !== undefined) return { issue };
    groups.push({ index, bins, unit });
  }
  const measured: MeasuredColumn[] = [];
  for (const [at, { function: name, column }] of measures.entries()) {
    const pointer = `/measures/${at}/column`;
    if (column === undefined) {
      if (name !== "count")
        return { issue: { pointer, expected: `the column of which ${name} is calculated`, received: "nothing" } };
      measured.push({ function: name, index: undefined });
      continue;
    }
    const index = columnIndex(columns, column);
    if (index < 0) return { unknownColumn: column, member: "measures" };
    const taken = takenBy[name];
    const issue = taken && kindIssue(columns[index], taken, pointer);
    if (issue !== undefined) return { issue };
    measured.push({ function: name, index });
  }
  return { groupBy: groups, measures: measured };
}

function kindIssue(column: ResultColumn | undefined, { kinds, text }: Taken, pointer: string): LimitIssue | undefined {
  if (column === undefined || kinds.includes(column.kind)) return undefined;
  return { pointer, expected: `a column of ${text}`, received: `a column of the type ${column.kind}` };
}

/**
 * Returns the members of a summary that describe its keys and measures.
 * @param bins intervals of each key; null for a key without bins
 * @param isDistinctExact false if different values are estimated
 */
export function summaryMembers(
  columns: readonly ResultColumn[],
  { groupBy, measures }: SummaryPlan,
  bins: readonly GroupKey["bins"][],
  isDistinctExact: boolean,
): { readonly keys: readonly GroupKey[]; readonly measures: readonly GroupMeasure[] } {
  return {
    keys: groupBy.map(({ index, unit = null }, at) => {
      const { name = "", kind = "unknown", engineType = "" } = columns[index] ?? {};
      return { column: name, type: kind, engineType, unit, bins: bins[at] ?? null };
    }),
    measures: measures.map(({ function: name, index }) => {
      const column = index === undefined ? undefined : columns[index];
      return {
        function: name,
        column: column?.name ?? null,
        type: name === "min" || name === "max" ? (column?.kind ?? "unknown") : "number",
        isExact: name !== "countDistinct" || isDistinctExact,
      };
    }),
  };
}

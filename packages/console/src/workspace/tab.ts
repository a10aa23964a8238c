import type { TabChart } from "../chart/chart-settings.ts";
import type { ParameterFields } from "../editor/parameter.ts";
import type { Statement } from "../editor/statement.ts";
import type { ColumnLayout } from "../grid/column-order.ts";
import type { GridView } from "../grid/grid-view.ts";

/** Last run of a tab, and the statement that it executes. */
export interface TabRun {
  readonly queryRunId: string;
  readonly statement: Statement;
}

export interface TabView extends GridView {
  readonly queryRunId: string;
}

/** Statement of a batch. */
export interface BatchEntry {
  readonly statement: Statement;
  /** Undefined for a statement that was not started. */
  readonly queryRunId?: string | undefined;
  /** Reason why the service has refused to start it. */
  readonly refusal?: string | undefined;
}

/** Statements of a tab that run one after the other. */
export interface Batch {
  readonly id: string;
  readonly entries: readonly BatchEntry[];
}

/** A text in the editor, with what belongs to it. Kept by the browser. */
export interface Tab extends ColumnLayout {
  readonly id: string;
  readonly name: string;
  readonly sql: string;
  readonly parameters: ParameterFields;
  /** Name of the data source; undefined for the default of the service. */
  readonly dataSource?: string | undefined;
  readonly run?: TabRun | undefined;
  /** Last batch, until a single statement runs. `run` is the chosen one of its runs. */
  readonly batch?: Batch | undefined;
  readonly chart?: TabChart | undefined;
  /** Order and filters of the result of a run. */
  readonly view?: TabView | undefined;
  /** Time of the last change, in milliseconds. The later change wins if two windows change a tab. */
  readonly changedAt: number;
  /** True for a closed tab, which another window must not bring back. */
  readonly isClosed?: boolean | undefined;
}

export function createTab(number: number, members: Partial<Tab> = {}): Tab {
  return {
    id: `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`,
    name: `Query ${number}`,
    sql: "",
    parameters: {},
    changedAt: Date.now(),
    ...members,
  };
}

/** Joins the tabs of two windows. Of two forms of a tab, the later one is in the result. */
export function mergeTabs(own: readonly Tab[], others: readonly Tab[]): readonly Tab[] {
  const merged = new Map(own.map((tab) => [tab.id, tab]));
  for (const tab of others) {
    const known = merged.get(tab.id);
    if (known === undefined || tab.changedAt > known.changedAt) merged.set(tab.id, tab);
  }
  return [...merged.values()];
}

/** Returns the tabs of a stored text; none if it is not what `JSON.stringify` made of tabs. */
export function parseTabs(text: string | null): readonly Tab[] {
  try {
    const tabs: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(tabs) ? tabs.filter(isTab) : [];
  } catch {
    return [];
  }
}

const isTab = (value: unknown): value is Tab => {
  const { id, name, sql, parameters, changedAt } = Object(value);
  return (
    [id, name, sql].every((member) => typeof member === "string") &&
    typeof changedAt === "number" &&
    Object(parameters) === parameters
  );
};

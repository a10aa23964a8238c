/** Chart type of a panel, and the columns that it shows. */
export type View =
  | { readonly kind: "figure"; readonly y: string }
  | { readonly kind: "bars"; readonly x: string; readonly y: string }
  | { readonly kind: "columns"; readonly x: string; readonly y: string }
  | { readonly kind: "lines"; readonly x: string; readonly y: string; readonly series?: string }
  | { readonly kind: "points"; readonly x: string; readonly y: string; readonly series?: string }
  | { readonly kind: "table" };

/** Panel of the page: a statement and its chart. */
export interface Panel {
  readonly title: string;
  /** Unit of the numbers, e.g. `departures`. */
  readonly unit: string;
  readonly sql: string;
  readonly view: View;
}

/** Section of the page. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Panels with a single number, above the others. */
  readonly figures?: readonly Panel[];
  readonly panels: readonly Panel[];
}

/** Page of panels. */
export interface DashboardPage {
  readonly title: string;
  readonly sections: readonly Section[];
}

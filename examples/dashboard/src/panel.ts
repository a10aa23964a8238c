/** Which columns of the result are drawn, and how. */
export type View =
  | { readonly kind: "figure"; readonly y: string }
  | { readonly kind: "bars"; readonly x: string; readonly y: string }
  | { readonly kind: "columns"; readonly x: string; readonly y: string }
  | { readonly kind: "lines"; readonly x: string; readonly y: string; readonly series?: string }
  | { readonly kind: "points"; readonly x: string; readonly y: string; readonly series?: string }
  | { readonly kind: "table" };

export interface Panel {
  readonly title: string;
  /** What the numbers count, and in which unit. */
  readonly unit: string;
  readonly sql: string;
  readonly view: View;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Single numbers, above the others. */
  readonly figures?: readonly Panel[];
  readonly panels: readonly Panel[];
}

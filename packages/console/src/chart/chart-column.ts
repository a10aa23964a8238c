import type { GetQueryRunResultsResult } from "@quern/client";
import { isNumeric } from "../grid/is-numeric.ts";

export type ChartColumnKind = "time" | "number" | "text" | "other";

export interface ChartColumn {
  readonly name: string;
  /** Position in the rows, from 0. */
  readonly index: number;
  readonly kind: ChartColumnKind;
}

/** Returns the columns that a chart can name. The service finds a column by its name, so the first of equal names is meant. */
export function chartColumns(head: GetQueryRunResultsResult): readonly ChartColumn[] {
  const names = head.columnNames ?? [];
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const key = name.toLowerCase();
    if (seen.has(key)) return [];
    seen.add(key);
    return { name, index, kind: kindOf(head, index) };
  });
}

function kindOf(head: GetQueryRunResultsResult, index: number): ChartColumnKind {
  if (isNumeric(head, index)) return "number";
  const type = head.columnTypes?.[index];
  if (type === "date") return "time";
  return type === "string" || type === "boolean" ? "text" : "other";
}

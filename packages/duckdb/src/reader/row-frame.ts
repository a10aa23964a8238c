import { rowKeys } from "@quern/query-run/columns";
import { rowIndexColumn } from "../results/result-files.ts";
import type { PageTask } from "./task.ts";

/** Text around the values of each row. */
export interface RowFrame {
  /** Text before the value of each column. */
  readonly before: readonly string[];
  /** Text after the last value. */
  readonly close: string;
}

/** Returns the text around the values of a row, and around its number if the rows have it. */
export function rowFrame({ columns, format, rowIndex }: Pick<PageTask, "columns" | "format" | "rowIndex">): RowFrame {
  const names = (rowIndex ? [...columns, rowIndexColumn] : columns).map(({ name }) => name);
  const keys = format === "csv" ? names.map(() => "") : rowKeys(names).map((key) => `${JSON.stringify(key)}:`);
  const [open, close] = format === "csv" ? ["[", "]"] : ["{", "}"];
  return { before: keys.map((key, index) => (index === 0 ? open : ",") + key), close };
}

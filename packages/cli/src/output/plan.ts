import { cellText, type RowWriter } from "./row.ts";
import { printableLines } from "./terminal.ts";

/** Writes the last column as text with its line ends, as engines lay out the plan of a statement. */
export function planWriter(): RowWriter {
  return {
    head: () => "",
    page: (rows) => rows.map((row) => `${printableLines(cellText(row.at(-1) ?? "").trimEnd())}\n`).join(""),
    tail: () => "",
  };
}

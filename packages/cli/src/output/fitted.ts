import type { OutputColumn, RowWriter } from "./row.ts";
import { type TableOptions, tableWriter } from "./table.ts";
import { textWidth } from "./text-width.ts";
import { verticalWriter } from "./vertical.ts";

/** Writes a table, or a line for each value if the first page of the table is wider than the terminal. */
export function fittedWriter(columns: readonly OutputColumn[], options: TableOptions = {}): RowWriter {
  const { terminalWidth = Infinity, onCut: _, ...whole } = options;
  let writer: RowWriter | undefined;
  return {
    head: () => "",
    page(rows) {
      if (writer === undefined) {
        const wide = tableWriter(columns, whole).page(rows);
        const isWide = wide.split("\n").some((line) => textWidth(line) > terminalWidth);
        writer = isWide ? verticalWriter(columns, whole) : tableWriter(columns, options);
      }
      return writer.page(rows);
    },
    tail: () => (writer ?? tableWriter(columns, options)).tail(),
  };
}

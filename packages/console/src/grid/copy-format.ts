import { exactText } from "./cell-text.ts";

/** Cells to copy. */
export interface CopiedCells {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export const COPY_FORMATS = ["TSV", "Markdown", "JSON", "IN list"] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

/** Returns cells as text. TSV has the names of the columns if there are several cells. */
export function copiedText(format: CopyFormat, { names, rows }: CopiedCells): string {
  switch (format) {
    case "TSV": {
      const isOneCell = names.length === 1 && rows.length === 1;
      return [...(isOneCell ? [] : [names]), ...rows].map((row) => row.map(tsvText).join("\t")).join("\n");
    }
    case "Markdown":
      return [names, names.map(() => "---"), ...rows]
        .map((row) => `| ${row.map(markdownText).join(" | ")} |`)
        .join("\n");
    case "JSON":
      return JSON.stringify(
        rows.map((row) => Object.fromEntries(uniqueNames(names).map((name, index) => [name, row[index]]))),
        null,
        2,
      );
    case "IN list":
      return `(${[...new Set(rows.flat().map(literalOf))].join(", ")})`;
  }
}

/** A spreadsheet reads quotes around a value with a tab, a line break or a quote. */
function tsvText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = exactText(value);
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const markdownText = (value: unknown): string => exactText(value).replace(/[\\|]/g, "\\$&").replace(/\r?\n/g, "<br>");

function literalOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return `'${exactText(value).replaceAll("'", "''")}'`;
}

/** A repeated name gets a number, as in the rows of the service. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

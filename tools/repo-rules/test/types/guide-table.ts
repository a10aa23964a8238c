import { readFileSync } from "node:fs";

/** Cells of a row of the guide's table of values inside others, in filters, from PostgreSQL and from a CSV. */
export interface GuideRow {
  readonly sql: string;
  readonly list: string;
  readonly struct: string;
  /** JSON, or `null only`. */
  readonly filter: string;
  /** Expression of PostgreSQL, or nothing. */
  readonly postgres: string;
  /** `equal`, `refused` or `other bytes`. */
  readonly csv: string;
}

/** Reads the table in the guide *Types and values*. */
export function guideRows(): readonly GuideRow[] {
  const guide = readFileSync(new URL("../../../../docs/guides/types-and-values.md", import.meta.url), "utf8");
  const [, section = ""] = guide.split("| SQL | In a list |");
  const lines = section.split("\n").slice(2);
  return lines.slice(0, lines.indexOf("")).map((line) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [sql = "", list = "", struct = "", filter = "", postgres = "", csv = ""] = cells.map((cell) =>
      cell
        .trim()
        .replace(/^`+ ?(.*?) ?`+$/, "$1")
        .replaceAll("\\|", "|"),
    );
    return { sql, list, struct, filter, postgres, csv };
  });
}

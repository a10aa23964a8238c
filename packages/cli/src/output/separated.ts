import { cellText, type OutputColumn, type RowWriter, type TextOptions } from "./row.ts";

/**
 * Writes CSV (RFC 4180) with a header, but with LF as line end, as Unix tools do, or the same with tabs. NULL is an empty
 * field, an empty text is `""`. A text that equals the one for NULL is in quotes, to differ from it.
 */
export function separatedWriter(
  columns: readonly OutputColumn[],
  separator: "," | "\t",
  { header, nullText = "" }: TextOptions = {},
): RowWriter {
  const needsQuotes = (text: string) => text === nullText || /["\r\n]/.test(text) || text.includes(separator);
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const field = (value: unknown) => {
    if (value === null || value === undefined) return nullText;
    const text = cellText(value);
    return text === "" || needsQuotes(text) ? quoted(text) : text;
  };
  const record = (values: readonly unknown[]) => `${values.map(field).join(separator)}\n`;
  return {
    head: () => (header === false ? "" : record(columns.map(({ name }) => name))),
    page: (rows) => rows.map(record).join(""),
    tail: () => "",
  };
}

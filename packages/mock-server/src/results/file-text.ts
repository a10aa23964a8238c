import { rowKeys } from "@quern/query-run/columns";
import type { ResultSet } from "./result-set.ts";
import { textOf } from "./view.ts";

/** Formats of the files that the mock writes, with the function that does. */
export const fileTexts: ReadonlyMap<string, (result: ResultSet) => string> = new Map([
  ["csv", csvText],
  ["ndjson", ndjsonText],
]);

/** Returns rows as CSV with a header line, as a download of the service has them. */
function csvText({ columns, rows }: ResultSet): string {
  const lines = [columns.map(({ name }) => quoted(name)), ...rows.map((row) => row.map(csvField))];
  return lines.map((fields) => `${fields.join(",")}\n`).join("");
}

/** Returns the text of a value; an empty field for null. */
function csvField(value: unknown): string {
  if (value === null) return "";
  return quoted(textOf(value));
}

/** Quotes a field if necessary. An empty text has quotes, which distinguish it from null. */
function quoted(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns rows as JSON Lines, with the keys of the rows of a page. */
function ndjsonText({ columns, rows }: ResultSet): string {
  const keys = rowKeys(columns.map(({ name }) => name)).map((key) => JSON.stringify(key));
  return rows.map((row) => `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at])}`).join(",")}}\n`).join("");
}

import { readFileSync } from "node:fs";
import { csvTable } from "./files/csv.ts";
import { jsonRows } from "./files/json.ts";
import type { Rows } from "./result-set.ts";

/**
 * The rows of a file: CSV with a line of names, or JSON, which is an array of objects or `{ columns, rows }`.
 * @throws RangeError for a name that ends otherwise, SyntaxError where the file is not what its name says.
 */
export function rowsFrom(path: string | URL): Rows {
  const name = String(path);
  const text = () => readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  if (name.endsWith(".csv")) return csvTable(text(), name);
  if (name.endsWith(".json")) return jsonRows(text(), name);
  throw new RangeError(`rows come from files that end in .csv or .json, not from ${name}`);
}

import { isObject } from "@quern/json-rpc/envelope";
import type { Rows } from "../results/result-set.ts";

/** Parses rows from JSON: an array of objects, or `{ columns, rows }`. @throws SyntaxError */
export function jsonRows(text: string, name: string): Rows {
  const value = parsed(text, name);
  if (Array.isArray(value) && value.every(isObject)) return value;
  if (isObject(value) && isColumns(value.columns) && isRows(value.rows))
    return { columns: value.columns, rows: value.rows };
  throw new SyntaxError(`${name}: expected an array of objects, or { "columns": [...], "rows": [[...], ...] }`);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function isColumns(value: unknown): value is readonly (string | { readonly name: string })[] {
  const isColumn = (one: unknown) => typeof one === "string" || (isObject(one) && typeof one.name === "string");
  return Array.isArray(value) && value.every(isColumn);
}

function isRows(value: unknown): value is readonly (readonly unknown[])[] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

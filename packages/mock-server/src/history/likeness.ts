import { normalizedStatement } from "../stubs/sql-text.ts";

const maxTextLength = 200;

/** Whether a value has all that is wanted of it: objects these members among others, arrays the same items, texts what a pattern matches. */
export function isLike(value: unknown, wanted: unknown, name?: string): boolean {
  if (wanted instanceof RegExp) return typeof value === "string" && value.search(wanted) >= 0;
  if (name === "sql" && typeof value === "string" && typeof wanted === "string")
    return normalizedStatement(value) === normalizedStatement(wanted);
  if (typeof wanted !== "object" || wanted === null) return Object.is(value, wanted);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && Object.keys(value).length !== wanted.length) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.entries(wanted).every(([key, member]) => member === undefined || isLike(members.get(key), member, key));
}

/** A call as one reads it. */
export function callText(method: string, params: unknown): string {
  const text = jsonText(params);
  return `${method}(${text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text})`;
}

function jsonText(params: unknown): string {
  try {
    return JSON.stringify(params, (_, value) => (value instanceof RegExp ? String(value) : value)) ?? "";
  } catch {
    // Calls that are refused may be deeper than the stack.
    return "…";
  }
}

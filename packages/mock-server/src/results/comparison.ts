import type { ColumnKind } from "@quern/query-run/record";

/** Compares two values of a column as an engine does. Returns a negative number, zero, a positive one, or undefined if one is null. */
export function compareValues(a: unknown, b: unknown, kind: ColumnKind): number | undefined {
  if (a === null || a === undefined || b === null || b === undefined) return undefined;
  if (kind !== "number" && typeof a === "string" && typeof b === "string") return order(a, b);
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return order(left, right);
  return order(textOf(a), textOf(b));
}

function order<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the number of a value; also of a string, which replaces a number that a double cannot represent. */
function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/^[+-]?\d+$/.test(value)) return BigInt(value);
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the regular expression of a pattern of SQL's `LIKE`: `%` matches any text, `_` any character. */
export function likePattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
    .replaceAll("%", "[^]*")
    .replaceAll("_", "[^]");
  return new RegExp(`^${source}$`, "u");
}

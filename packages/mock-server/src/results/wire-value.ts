/**
 * A value as the service sends it: what JSON cannot hold without loss is a string. Integers beyond 2^53, NaN and the
 * infinities keep their digits or name, dates are ISO 8601 with `Z`, bytes are base64.
 * @throws TypeError for what JSON has no word for, such as a function or an invalid date.
 */
export function wireValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return isoText(value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, wireValue(member)]));
  }
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`a row cannot hold a ${typeof value}`);
  return value ?? null;
}

function isoText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError("a row cannot hold a date that is none");
  return date.toISOString();
}

/**
 * Returns the text of a number as JSON. It is a string if a double would lose digits (integers beyond 2^53 - 1, long
 * decimals), or if JSON has no such number.
 */
export function numberText(text: string): string {
  return isExactAsDouble(text) ? text : `"${text}"`;
}

/** Returns true if a double holds every digit of a number. */
function isExactAsDouble(text: string): boolean {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  // The engine writes exponents for doubles only.
  if (!/^-?\d+\.\d+$/.test(text)) return Number.isFinite(number);
  const digits = text.replace(/[-.]/g, "").replace(/^0+/, "");
  return digits.length <= 15 || text.replace(/\.?0+$/, "") === String(number);
}

/** Returns the text of a finite double as the engine writes it: `1.0`, `-0.0`, `1e+16`, `1e-05`. */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if ((size < 1e-4 && size > 0) || size >= 1e16) return value.toExponential().replace(/(?<=e[+-])(?=\d$)/, "0");
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

// TypeScript's standard library does not declare `JSON.rawJSON`.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/**
 * Converts JSON of the engine to JSON that every parser accepts. The engine also accepts trailing commas, NaN and
 * Infinity; such a text becomes a string. Numbers become strings by the rule of {@link numberText}.
 */
export function jsonText(text: string): string {
  let changed = false;
  // TypeScript's standard library does not declare the third argument, whose `source` is the text of the number.
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    if (isExactAsDouble(context.source)) return context.source === String(value) ? value : rawJSON(context.source);
    changed = true;
    return context.source;
  };
  try {
    const value: unknown = JSON.parse(text, exact);
    return changed ? JSON.stringify(value) : text;
  } catch {
    return JSON.stringify(text);
  }
}

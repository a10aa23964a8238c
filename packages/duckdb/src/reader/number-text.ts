/**
 * A number's text as JSON: in quotes where it is an integer beyond 2^53, has digits that a double does not hold, or is
 * none that JSON knows.
 */
export function numberText(text: string): string {
  return holds(text) ? text : `"${text}"`;
}

function holds(text: string): boolean {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  // Engines write exponents only for doubles.
  if (!/^-?\d+\.\d+$/.test(text)) return Number.isFinite(number);
  const digits = text.replace(/[-.]/g, "").replace(/^0+/, "");
  return digits.length <= 15 || text.replace(/\.?0+$/, "") === String(number);
}

/** A finite double as the engine writes it: `1.0`, `-0.0`, `1e+16`, `1e-05`. */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if ((size < 1e-4 && size > 0) || size >= 1e16) return value.toExponential().replace(/(?<=e[+-])(?=\d$)/, "0");
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

// The library's types do not know it yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/**
 * JSON that the engine holds, as JSON that every reader takes: the engine also accepts trailing commas, NaN and
 * Infinity, and then the text becomes a string; numbers become strings where {@link numberText} says so.
 */
export function jsonText(text: string): string {
  let changed = false;
  // The library's types do not know the third argument yet.
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    if (holds(context.source)) return context.source === String(value) ? value : rawJSON(context.source);
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

/** `JSON.parse` that keeps integers which a double cannot hold: they become strings of their digits, where the platform can. */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!holdsUnsafe(parsed)) return parsed;
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? "";
    return isUnsafe(value) && /^-?\d+$/.test(source) ? source : value;
  });
}

/** Looking at each value costs less than looking at each character. */
function holdsUnsafe(value: unknown): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (holdsUnsafe(item)) return true;
    return false;
  }
  if (typeof value === "object" && value !== null) return holdsUnsafe(Object.values(value));
  return isUnsafe(value);
}

function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

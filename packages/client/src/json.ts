/** An integer of 16 or more digits that is a JSON number: it stands after `[`, `:`, `,` or a blank, and before one of their ends. */
const longInteger = /[^.\w"+-]-?\d{16,}[\s,\]}]/;

/** `JSON.parse` that keeps integers which a double cannot hold: they become strings of their digits, where the platform can. */
export function parseJson(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const lossy = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
    return lossy && /^-?\d+$/.test(context?.source ?? "") ? context?.source : value;
  });
}

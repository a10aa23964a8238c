/** A number that may be an integer beyond 2^53, where a cell of a row or a member would have it. */
const longInteger = /[[,:\s]-?\d{16}/;

/**
 * `JSON.parse` that keeps integers which a double cannot hold: they become strings of their digits, where the platform
 * can. Texts without long numbers, almost all of them, are parsed at full speed.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, longInteger.test(text) ? keptDigits : undefined);
}

function keptDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Older platforms pass no source: the pattern then tests the word "undefined", which is not a number.
  const isLost = /^-?\d+$/.test(source as string) && !Number.isSafeInteger(value);
  return isLost ? source : value;
}

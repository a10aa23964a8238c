/** `JSON.parse` with the third argument of its reviver, which TypeScript's ES2023 library does not know yet. */
type ParseWithSource = (
  text: string,
  revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;

// Every engine that runs us has the argument (Node 21, Chrome 114, Firefox 135, Safari 18.4); where it is absent, no text is found.
const parseWithSource = JSON.parse as ParseWithSource;

function idOf(member: unknown): string | undefined {
  if (typeof member !== "object" || member === null || !("id" in member)) return undefined;
  return typeof member.id === "string" ? member.id : undefined;
}

/**
 * The numeric ids of a request body as they were written, one for each member: `9007199254740993` has no double, and a
 * caller looks for exactly what it sent. Called only where an id needs it, since it reads the whole body again.
 */
export function idTexts(text: string): readonly (string | undefined)[] {
  const shadow = parseWithSource(text, (key, value, context) =>
    key === "id" && typeof value === "number" ? context?.source : value,
  );
  return Array.isArray(shadow) ? shadow.map(idOf) : [idOf(shadow)];
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a JSON pointer (RFC 6901), or undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** Returns true if two values are the same JSON value. The order of members does not matter. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, index) => areEqual(item, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => areEqual(left[name], right[name]));
}

/** Formats a value as JSON of at most 200 characters, for a message. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** `JSON.parse` with the third argument of its reviver, which TypeScript's ES2023 library does not know yet. */
type ParseWithSource = (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;
const parseWithSource = JSON.parse as ParseWithSource;

/** Returns the id of a member as JSON text; undefined for a number whose digits may be lost. */
function idTextOf(member: unknown): string | undefined {
  const id = isObject(member) ? member.id : undefined;
  // A lone surrogate has no UTF-8 form; many languages replace it by U+FFFD.
  if (typeof id === "string") return JSON.stringify(id.replace(/\p{Cs}/gu, "\uFFFD"));
  return id === null || typeof id === "boolean" || Number.isSafeInteger(id) ? JSON.stringify(id) : undefined;
}

function hasInexactId(member: unknown): boolean {
  return isObject(member) && typeof member.id === "number" && !Number.isSafeInteger(member.id);
}

/**
 * Returns the ids of a body's members as JSON text, so that numbers beyond 2^53 - 1 keep their digits; undefined without a scalar id.
 * Equal strings and equal safe integers get equal texts, whatever their escapes or exponents.
 */
export function idTexts(text: string, value: unknown = JSON.parse(text)): readonly (string | undefined)[] {
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!members.some(hasInexactId)) return members.map(idTextOf);
  // Reviving is slow for large bodies, so only numbers that lose digits need it.
  const sources = parseWithSource(text, (key, inner, { source }) =>
    key === "id" && typeof inner === "number" ? { source } : inner,
  );
  const exact: readonly unknown[] = Array.isArray(sources) ? sources : [sources];
  return members.map((member, index) => (hasInexactId(member) ? sourceOf(exact[index]) : idTextOf(member)));
}

function sourceOf(member: unknown): string | undefined {
  const source = isObject(member) && isObject(member.id) ? member.id.source : undefined;
  return typeof source === "string" ? source : undefined;
}

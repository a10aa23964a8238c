/** Syntax of the parts of a literal in one language. */
export interface LiteralStyle {
  readonly key: (name: string) => string;
  /** Returns the text of a leaf, or undefined for an array or a plain object. */
  readonly leaf: (value: unknown) => string | undefined;
  /** Text after the last member if each member has its own line. */
  readonly trailing: string;
}

/** Maximum number of columns of a generated line. */
export const width = 120;

/**
 * Writes a value on one line if it fits, else one member a line.
 * @param column Column of the start.
 * @param indent Indentation of further lines.
 */
export function layOut(value: unknown, style: LiteralStyle, column = 0, indent = 0): string {
  const line = lineWithin(width - 1 - column, value, style);
  if (line !== undefined) return line;
  const members = membersOf(value, style);
  if (members.length === 0) return oneLine(value, style);
  const inner = " ".repeat(indent + 2);
  const lines = members.map(
    ([key, member]) => `${inner}${key}${layOut(member, style, indent + 2 + key.length, indent + 2)}`,
  );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}${style.trailing}\n${" ".repeat(indent)}${close}`;
}

/** Writes a value on one line of any length. */
export function oneLine(value: unknown, style: LiteralStyle): string {
  return lineWithin(Number.POSITIVE_INFINITY, value, style) ?? "";
}

/**
 * Returns a value on one line, or undefined if the line exceeds the available columns. It stops as soon as the columns
 * are used up: writing each level of a deep value to its end would take quadratic time.
 */
function lineWithin(available: number, value: unknown, style: LiteralStyle): string | undefined {
  const leaf = style.leaf(value);
  if (leaf !== undefined) return leaf.length > available ? undefined : leaf;
  const members: string[] = [];
  let remaining = available;
  for (const [key, member] of membersOf(value, style)) {
    const text = lineWithin(remaining - key.length, member, style);
    if (text === undefined) return undefined;
    members.push(key + text);
    remaining -= key.length + text.length + 2;
  }
  const text = members.join(", ");
  const line = Array.isArray(value) ? `[${text}]` : text === "" ? "{}" : `{ ${text} }`;
  return line.length > available ? undefined : line;
}

function membersOf(value: unknown, style: LiteralStyle): readonly (readonly [key: string, member: unknown])[] {
  if (style.leaf(value) !== undefined || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.map((member) => ["", member]);
  return Object.entries(value).map(([name, member]) => [`${style.key(name)}: `, member]);
}

const jsonStyle: LiteralStyle = {
  key: (name) => JSON.stringify(name),
  leaf: (value) => (typeof value === "object" && value !== null ? undefined : JSON.stringify(value)),
  trailing: "",
};

/** Formats a value as JSON for readers: short values on one line. */
export function jsonText(value: unknown, indent = 0): string {
  return layOut(value, jsonStyle, indent, indent);
}

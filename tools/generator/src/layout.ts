/** How a language writes the parts of a literal. */
export interface LiteralStyle {
  readonly key: (name: string) => string;
  /** The text of a value that is not laid out further, or undefined for an array or a plain object. */
  readonly leaf: (value: unknown) => string | undefined;
  /** Stands behind the last member where each has a line of its own. */
  readonly trailing: string;
}

/** Columns of a generated line. */
export const width = 120;

/**
 * Writes a value on one line where it fits, else one member a line. `column` is where it starts, `indent` where its
 * lines do.
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

/** The same on one line, however long. */
export function oneLine(value: unknown, style: LiteralStyle): string {
  return lineWithin(Number.POSITIVE_INFINITY, value, style) ?? "";
}

/** The line, or undefined as soon as it is longer than the room there is: else each level would write all below it. */
function lineWithin(room: number, value: unknown, style: LiteralStyle): string | undefined {
  const leaf = style.leaf(value);
  if (leaf !== undefined) return leaf.length > room ? undefined : leaf;
  const members: string[] = [];
  let left = room;
  for (const [key, member] of membersOf(value, style)) {
    const text = lineWithin(left - key.length, member, style);
    if (text === undefined) return undefined;
    members.push(key + text);
    left -= key.length + text.length + 2;
  }
  const text = members.join(", ");
  const line = Array.isArray(value) ? `[${text}]` : text === "" ? "{}" : `{ ${text} }`;
  return line.length > room ? undefined : line;
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

/** A value as JSON for people: short things on one line. */
export function jsonText(value: unknown, indent = 0): string {
  return layOut(value, jsonStyle, indent, indent);
}

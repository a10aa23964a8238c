import { type LiteralStyle, layOut, oneLine as onOneLine } from "../layout.ts";
import { propertyKey } from "../names.ts";

/** Code inside a literal, such as `() => pageTable`. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const style: LiteralStyle = {
  key: memberKey,
  leaf(value) {
    if (value instanceof Code) return value.text;
    return typeof value === "object" && value !== null ? undefined : JSON.stringify(value);
  },
  trailing: ",",
};

/**
 * Formats a JSON value as TypeScript: on one line if it fits, else one member a line.
 * @param column Column of the start.
 */
export function literal(value: unknown, column = 0): string {
  return layOut(value, style, column);
}

/** Formats a value on one line of any length. */
export function oneLine(value: unknown): string {
  return onOneLine(value, style);
}

/** Formats the arguments of a call, one a line. @param indent Indentation of the call. */
export function spread(args: readonly unknown[], indent: number): string {
  const inner = " ".repeat(indent + 2);
  const lines = args.map((arg) => `${inner}${layOut(arg, style, indent + 2, indent + 2)},\n`);
  return `\n${lines.join("")}${" ".repeat(indent)}`;
}

/** Keys are written so that `__proto__` is a regular member and a code remains a number. */
function memberKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^-?\d+$/.test(name) ? `[${name}]` : propertyKey(name);
}

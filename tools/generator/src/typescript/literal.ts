import { type LiteralStyle, layOut, oneLine as onOneLine } from "../layout.ts";
import { propertyKey } from "../names.ts";

/** A piece of code inside a literal, such as `() => pageTable`. */
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
 * A JSON value as TypeScript source: on one line where it fits, else one member a line. `column` is where it starts.
 */
export function literal(value: unknown, column = 0): string {
  return layOut(value, style, column);
}

/** The same on one line, however long. */
export function oneLine(value: unknown): string {
  return onOneLine(value, style);
}

/** The arguments of a call, one a line; `indent` is where the call starts. */
export function spread(args: readonly unknown[], indent: number): string {
  const inner = " ".repeat(indent + 2);
  const lines = args.map((arg) => `${inner}${layOut(arg, style, indent + 2, indent + 2)},\n`);
  return `\n${lines.join("")}${" ".repeat(indent)}`;
}

/** Written so that `__proto__` is a member like any other and a code stays a number. */
function memberKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^-?\d+$/.test(name) ? `[${name}]` : propertyKey(name);
}

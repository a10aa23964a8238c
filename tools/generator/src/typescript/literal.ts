import { propertyKey } from "../names.ts";

const width = 120;

/** A piece of code inside a literal, such as `() => pageTable`. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value as TypeScript source: on one line where it fits, else one member a line. `column` is where it starts. */
export function literal(value: unknown, column = 0, indent = 0): string {
  const line = oneLine(value);
  if (column + line.length + 1 <= width) return line;
  const inner = " ".repeat(indent + 2);
  const close = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value) && value.length > 0) {
    return `[${value.map((item) => `\n${inner}${literal(item, indent + 2, indent + 2)},`).join("")}${close}]`;
  }
  if (isPlainObject(value) && Object.keys(value).length > 0) {
    const members = Object.entries(value).map(([name, member]) => {
      const key = `${memberKey(name)}: `;
      return `\n${inner}${key}${literal(member, indent + 2 + key.length, indent + 2)},`;
    });
    return `{${members.join("")}${close}}`;
  }
  return line;
}

/** The same on one line, however long. */
export function oneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (isPlainObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${memberKey(name)}: ${oneLine(member)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return JSON.stringify(value);
}

function memberKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^-?\d+$/.test(name) ? `[${name}]` : propertyKey(name);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Code);
}

import { isObject } from "./json.ts";

/** Values of `${name}` placeholders. */
export type Variables = Readonly<Record<string, unknown>>;

const placeholder = /\$\{([A-Za-z]+)\}/g;

function lookUp(name: string, variables: Variables): unknown {
  if (!Object.hasOwn(variables, name)) throw new Error(`unknown placeholder \${${name}}: no earlier step captured it`);
  return variables[name];
}

/** Replaces the placeholders of a text. Inserts strings as they are, and other values as JSON. @throws Error for an unknown name */
export function fillText(text: string, variables: Variables): string {
  if (!text.includes("${")) return text;
  return text.replace(placeholder, (_, name: string) => {
    const value = lookUp(name, variables);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

/** Replaces the placeholders of a JSON value. A string that is only a placeholder becomes the value itself. */
export function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") {
    const only = /^\$\{([A-Za-z]+)\}$/.exec(value)?.[1];
    return only === undefined ? fillText(value, variables) : lookUp(only, variables);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, variables)]));
}

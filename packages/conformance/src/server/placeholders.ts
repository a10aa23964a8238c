import { isObject } from "./json.ts";

/** Values of `${name}` placeholders. */
export type Variables = Readonly<Record<string, unknown>>;

const placeholder = /\$\{([A-Za-z]+)\}/g;

function lookUp(name: string, variables: Variables): unknown {
  if (!Object.hasOwn(variables, name)) throw new Error(`nothing was captured as \${${name}}`);
  return variables[name];
}

/** A text with its placeholders replaced; strings go in as they are, other values as JSON. */
export function fillText(text: string, variables: Variables): string {
  if (!text.includes("${")) return text;
  return text.replace(placeholder, (_, name: string) => {
    const value = lookUp(name, variables);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

/** A JSON value with its placeholders replaced; a string that is nothing but a placeholder becomes the value itself. */
export function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") {
    const only = /^\$\{([A-Za-z]+)\}$/.exec(value)?.[1];
    return only === undefined ? fillText(value, variables) : lookUp(only, variables);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, variables)]));
}

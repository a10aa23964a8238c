import pg from "pg";

/**
 * PostgreSQL stores no NUL character, which callers may send in an id or a tag. It is stored as two characters, and so
 * is the first of them. JSON texts have neither, since JSON escapes control characters.
 */
const escapes: ReadonlyMap<string, string> = new Map([
  ["\u0000", "\u0001\u0002"],
  ["\u0001", "\u0001\u0001"],
]);

const oids = { bigint: 20, text: 25 } as const;

/** Returns a value as it is sent to the database. */
export function toStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStored);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones to escape
  return typeof value === "string" ? value.replace(/[\u0000\u0001]/g, (found) => escapes.get(found) ?? found) : value;
}

function fromStored(text: string): string {
  if (!text.includes("\u0001")) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: see `escapes`
  return text.replace(/\u0001(.)/g, (_, second) => (second === "\u0002" ? "\u0000" : "\u0001"));
}

/** Parsers of the values of a row. Numbers of 64 bits are counts, bytes and milliseconds, below 2^53. */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === oids.bigint) return Number;
    if (oid === oids.text) return fromStored;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser, // its overloads cannot be written as an arrow function
};

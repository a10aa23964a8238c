/** Members of a table that name it. */
export interface NamedTable {
  readonly dataSource: string;
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
}

/** Splits a name such as `main.cars` or `"my table"` into its parts, without their quotes. */
export function partsOf(name: string): readonly string[] {
  const parts = name.match(/"(?:[^"]|"")*"(?=\.|$)|[^.]+/g) ?? [];
  return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part));
}

/** Returns a name with each part in quotes, so that a keyword or a space in it is no syntax. */
export function quotedName(name: string): string {
  return partsOf(name)
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");
}

/** Returns whether a name, with its schema and catalog if it has them, is that of the table, in upper or lower case. */
export function isNameOf(name: string, { catalog, schema, name: last }: NamedTable): boolean {
  const lower = (parts: readonly string[]) => parts.join("\0").toLowerCase();
  const parts = partsOf(name);
  return parts.length > 0 && lower([catalog, schema, last].slice(-parts.length)) === lower(parts);
}

const escaped = (sign: string) => sign.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");

/** Creates a test of names for a pattern: a part of the name, or the whole name with `*` for any text and `?` for a character. */
export function nameMatcher(pattern: string): (table: NamedTable) => boolean {
  const sources = Array.from(pattern, (sign) => (sign === "*" ? ".*" : sign === "?" ? "." : escaped(sign)));
  const source = sources.join("");
  const matcher = new RegExp(/[*?]/.test(pattern) ? `^${source}$` : source, "isu");
  const hasSchema = pattern.includes(".");
  return ({ catalog, schema, name }) =>
    matcher.test(name) ||
    (hasSchema && [`${schema}.${name}`, `${catalog}.${schema}.${name}`].some((each) => matcher.test(each)));
}

/** Returns the longest text without wildcards in a pattern, which the service searches. Undefined if there is none. */
export function searchOf(pattern: string): string | undefined {
  const [longest = ""] = pattern.split(/[*?]+/).toSorted((a, b) => b.length - a.length);
  return longest === "" ? undefined : longest.slice(0, 256);
}

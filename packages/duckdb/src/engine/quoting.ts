/** Returns a quoted identifier. Several parts make a qualified name, such as catalog, schema and table. */
export function quotedName(...parts: readonly string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}

/** Returns a string literal. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

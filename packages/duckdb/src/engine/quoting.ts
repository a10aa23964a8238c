/** A name of the engine: a column, a catalog, or with several parts what lies in one. */
export function quotedName(...parts: readonly string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

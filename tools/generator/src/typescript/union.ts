const width = 120;

/** `A | B`, each member once; `unknown` swallows the others. */
export function union(types: readonly string[]): string {
  const members = [...new Set(types)];
  return members.includes("unknown") ? "unknown" : members.join(" | ");
}

/** The type of an alias, one member a line where the line would be too long. */
export function aliasUnion(name: string, types: readonly string[]): string {
  const line = union(types);
  const isLong = `export type ${name} = ${line};`.length > width;
  return isLong ? `\n  | ${[...new Set(types)].join("\n  | ")}` : line;
}

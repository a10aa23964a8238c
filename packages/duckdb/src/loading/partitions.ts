/** Column that a folder such as `year=2026` adds to the files below it. */
export interface Partition {
  readonly name: string;
  readonly value: string;
  /** Type of the value as the engine writes it. */
  readonly type: string;
}

/**
 * Returns the columns that folders add, unless the file has them.
 * @param shown name of the file for messages, with its folders
 */
export function partitionsOf(shown: string, columns: Iterable<string>): readonly Partition[] {
  const names = new Set([...columns].map((name) => name.toLowerCase()));
  return [...shown.matchAll(/(?<=[/\\ ])([^/\\= ?]+)=([^/\\]+)(?=[/\\])/g)].flatMap(([, name = "", value = ""]) =>
    names.has(name.toLowerCase()) ? [] : [{ name, value, type: typeOf(value) }],
  );
}

function typeOf(text: string): string {
  if (/^(0|-?[1-9]\d{0,17})$/.test(text)) return "BIGINT";
  return /^\d{4}-\d\d-\d\d$/.test(text) ? "DATE" : "VARCHAR";
}

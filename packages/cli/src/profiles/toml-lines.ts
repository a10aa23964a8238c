/** Member of a table, with the lines that it takes. */
interface TomlEntry {
  readonly key: string;
  readonly from: number;
  /** Line after the last one. */
  to: number;
}

/** Table of a TOML document, with the lines that it takes. */
export interface TomlTable {
  readonly path: readonly string[];
  /** Line of the header; -1 for the table at the start of the document, which has none. */
  readonly from: number;
  /** Line after the last one. Comments and empty lines above the next header are not in the table. */
  to: number;
  readonly entries: TomlEntry[];
}

const keyPart = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)`;
const keyPath = String.raw`${keyPart}(?:\s*\.\s*${keyPart})*`;
const headerLine = new RegExp(String.raw`^\s*\[\s*(${keyPath})\s*\]\s*(?:#.*)?$`);
const entryLine = new RegExp(String.raw`^\s*(${keyPath})\s*=`);
const emptyLine = /^\s*(?:#.*)?$/;

/**
 * Finds the tables and members of a TOML document by its lines, for errors and edits that keep comments. It does not
 * follow texts of several lines, so the caller compares an edited document with what the parser reads.
 */
export function tomlTables(lines: readonly string[]): readonly TomlTable[] {
  let table: TomlTable = { path: [], from: -1, to: 0, entries: [] };
  const tables = [table];
  for (const [at, line] of lines.entries()) {
    const header = headerLine.exec(line)?.[1];
    const key = entryLine.exec(line)?.[1];
    if (header !== undefined) {
      table = { path: pathOf(header), from: at, to: at + 1, entries: [] };
      tables.push(table);
    } else if (key !== undefined) {
      table.entries.push({ key: pathOf(key).join("."), from: at, to: at + 1 });
      table.to = at + 1;
    } else if (!emptyLine.test(line)) {
      // A value can go on in the next line, as a list does.
      const last = table.entries.at(-1);
      if (last !== undefined) last.to = at + 1;
      table.to = at + 1;
    }
  }
  return tables;
}

function pathOf(text: string): readonly string[] {
  return (text.match(new RegExp(keyPart, "g")) ?? []).map((part) => {
    if (part.startsWith("'")) return part.slice(1, -1);
    return part.startsWith('"') ? unescaped(part) : part;
  });
}

function unescaped(part: string): string {
  try {
    return String(JSON.parse(part));
  } catch {
    return part; // an escape that only TOML has
  }
}

/** Finds a table by its path. */
export function tableAt(tables: readonly TomlTable[], path: readonly string[]): TomlTable | undefined {
  return tables.find((table) => table.path.join("\n") === path.join("\n"));
}

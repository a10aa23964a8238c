import { tableAt, tomlTables } from "./toml-lines.ts";

/** Members to set, or to remove if the value is undefined. */
export type TomlMembers = Readonly<Record<string, string | boolean | undefined>>;

/** Sets and removes members of a table in the text of a document. Other lines and their comments stay. */
export function withMembers(text: string, path: readonly string[], members: TomlMembers): string {
  return Object.entries(members).reduce((edited, [key, value]) => withMember(edited, path, key, value), text);
}

function withMember(text: string, path: readonly string[], key: string, value: string | boolean | undefined): string {
  const { lines, join } = linesOf(text);
  const table = tableAt(tomlTables(lines), path);
  const entry = table?.entries.find((each) => each.key === key);
  if (entry !== undefined) {
    const line = value === undefined ? [] : [withValue(lines[entry.from] ?? "", key, value)];
    const isFirst = value === undefined && entry.from === 0 && lines[entry.to] === "";
    return join(lines.toSpliced(entry.from, entry.to - entry.from + (isFirst ? 1 : 0), ...line));
  }
  if (value === undefined) return text;
  const line = `${key} = ${tomlValue(value)}`;
  if (table !== undefined && (table.from >= 0 || table.entries.length > 0))
    return join(lines.toSpliced(table.to, 0, line));
  if (path.length === 0) return join([line, ...(lines.length === 0 ? [] : ["", ...lines])]);
  const gap = lines.length === 0 || lines.at(-1) === "" ? [] : [""];
  return join([...lines, ...gap, `[${path.join(".")}]`, line]);
}

/** Removes a table and the comment directly above it, unless that is the start of the document. */
export function withoutTable(text: string, path: readonly string[]): string {
  const { lines, join } = linesOf(text);
  const table = tableAt(tomlTables(lines), path);
  if (table === undefined) return text;
  let from = table.from;
  while (from > 0 && /^\s*#/.test(lines[from - 1] ?? "")) from--;
  if (from === 0) from = table.from;
  const isBetween = lines[table.to] === "" && (from === 0 || lines[from - 1] === "");
  return join(lines.toSpliced(from, table.to - from + (isBetween ? 1 : 0)));
}

/** Splits a text into its lines. `join` writes them with the line ends of the text. */
function linesOf(text: string) {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return { lines, join: (parts: readonly string[]) => parts.map((line) => line + end).join("") };
}

/** Replaces the value of a member, and keeps a comment after it. */
function withValue(line: string, key: string, value: string | boolean): string {
  const [, before = `${key} = `, after = ""] =
    /^(\s*\S+\s*=\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[{]+)(\s*#.*)?\s*$/.exec(line) ?? [];
  return `${before}${tomlValue(value)}${after}`;
}

/** Writes a text as JSON does, with the one escape more that TOML demands. */
function tomlValue(value: string | boolean): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

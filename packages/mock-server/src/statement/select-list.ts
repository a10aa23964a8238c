import { tokens } from "./sql-text.ts";

const unknownColumns = ["id", "name", "value"] as const;

/**
 * Returns the column names of the last `select` outside of parentheses. An expression without a name becomes `col0` or
 * another number; `*`, and a text without a `select`, become `id`, `name` and `value`.
 */
export function columnNames(sql: string): readonly string[] {
  const names = selectItems(sql).flatMap((item, at) => {
    const name = nameOf(item) ?? `col${at}`;
    return name === "*" ? unknownColumns : name;
  });
  return names.length === 0 ? unknownColumns : names;
}

/** Returns the texts between the commas of the select list. */
function selectItems(sql: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let item: string | undefined;
  const endItem = (next: string | undefined): void => {
    if (item !== undefined && item.trim() !== "") items.push(item.trim());
    item = next;
  };
  for (const { text, quoted } of tokens(sql)) {
    for (const part of quoted ? [text] : (text.match(/\w+|\W/g) ?? [])) {
      if (part === "(") depth += 1;
      if (part === ")") depth -= 1;
      const word = depth > 0 ? "" : part.toLowerCase();
      if (word === "select") {
        items.length = 0;
        item = "";
      } else if (word === "from") endItem(undefined);
      else if (word === "," && item !== undefined) endItem("");
      else if (item !== undefined) item += part;
    }
  }
  endItem(undefined);
  return items;
}

/** Returns the alias or column name at the end of an item; undefined for an expression without a name. */
function nameOf(item: string): string | undefined {
  const [, quoted, word] = /(?:"((?:[^"]|"")+)"|(?<![\w$?])([a-z_]\w*|\*))$/i.exec(item) ?? [];
  return quoted?.replaceAll('""', '"') ?? word;
}

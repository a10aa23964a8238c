import { is, isName, nameOf, type Sliced, sliceSize, type Tokens } from "./tokens.ts";

/** Names of tables and functions have three parts at most. Further parts are fields of a row. */
const maxParts = 4;

/** Names with dots between them, such as `catalog.schema.table`. */
interface Name {
  /** Number of its parts, at most {@link maxParts}; 0 if there is no name. */
  readonly length: number;
  readonly first: string;
  readonly second: string;
}

const noName: Name = { length: 0, first: "", second: "" };

/** Words before parentheses in which FROM precedes no table: `extract(year FROM t)`. */
const valueWords: ReadonlySet<string> = new Set(["EXTRACT", "TRIM", "SUBSTRING"]);
/** Reserved words after the tables of FROM, after which a comma precedes no table. */
const afterFrom: ReadonlySet<string> = new Set(["WHERE", "HAVING", "UNION", "INTERSECT", "EXCEPT", "VALUES", "SELECT"]);

/**
 * Returns the catalogs that a statement without EXPLAIN names, in lower case. Names of columns are not searched, because
 * a column can name only the catalog of a table of its query. Each name after FROM counts as that of a table, except
 * where the grammar excludes one.
 */
export function* catalogsOf(statement: Tokens): Sliced<ReadonlySet<string>> {
  const catalogs = yield* shownCatalogs(statement);
  /** For each pair of parentheses that has begun: names after FROM are no tables, or a comma precedes a table. */
  const contexts: ("value" | "tables" | "other")[] = ["other"];
  let isTable = false; // the next name is that of a table
  let steps = 0; // the index skips the parts of names
  for (let index = 0; index < statement.length; index++) {
    steps++;
    if (steps % sliceSize === 0) yield;
    const word = statement.at(index)?.word ?? "";
    const context = contexts.at(-1);
    if (word === "(" || word === "[") {
      contexts.push(isTable ? "tables" : isValue(statement, index - 1) ? "value" : "other");
      continue; // a table can follow in the parentheses
    }
    const name = nameAt(statement, index);
    index += Math.max(0, name.length * 2 - 2);
    const isFunction = is(statement.at(index + 1), "(");
    // The functions of Trino itself have this name in every catalog.
    const isBuiltIn = isFunction && name.first === "system" && name.second === "builtin";
    if (name.length > 2 && (isTable || isFunction) && !isBuiltIn) catalogs.add(name.first);
    isTable = false;
    if (name.length > 1) continue; // a part of a name is no keyword
    if (word === ")" || word === "]") contexts.pop();
    else if (word === "JOIN" || word === "TABLE") isTable = true;
    else if (word === ",") isTable = context === "tables";
    else if (word === "FROM") isTable = context !== "value" && !isDistinctFrom(statement, index);
    else if (afterFrom.has(word) || isBefore(statement, index, "BY", "GROUP", "ORDER")) contexts.splice(-1, 1, "other");
    if (word === "FROM" && isTable) contexts.splice(-1, 1, "tables");
  }
  return catalogs;
}

/** Returns true for a word with parentheses in which FROM precedes no table. */
function isValue(tokens: Tokens, at: number): boolean {
  return valueWords.has(tokens.at(at)?.word ?? "") && !is(tokens.at(at - 1), ".");
}

/** Returns true for FROM in `a IS DISTINCT FROM b`. */
function isDistinctFrom(tokens: Tokens, at: number): boolean {
  const before = tokens.at(at - 2);
  return is(tokens.at(at - 1), "DISTINCT") && (is(before, "IS") || is(before, "NOT"));
}

function isBefore(tokens: Tokens, at: number, next: string, ...words: readonly string[]): boolean {
  return is(tokens.at(at + 1), next) && words.includes(tokens.at(at)?.word ?? "");
}

/** Returns the name that begins at a token. */
function nameAt(tokens: Tokens, at: number): Name {
  if (!isName(tokens.at(at)) || is(tokens.at(at - 1), ".")) return noName;
  let length = 1;
  while (length < maxParts && is(tokens.at(at + length * 2 - 1), ".") && isName(tokens.at(at + length * 2))) length++;
  return { length, first: nameOf(tokens.at(at)) ?? "", second: length > 1 ? (nameOf(tokens.at(at + 2)) ?? "") : "" };
}

/** Returns the catalogs in SHOW and DESCRIBE, whose names have one to three parts. */
function* shownCatalogs(statement: Tokens): Sliced<Set<string>> {
  const catalogs = new Set<string>();
  const first = statement.at(0);
  if (!is(first, "SHOW") && !is(first, "DESCRIBE") && !is(first, "DESC")) return catalogs;
  const length = is(first, "SHOW") ? partsOfShown(statement) : 3;
  for (let index = 0; index < statement.length && !is(statement.at(index), "("); index++) {
    if (index % sliceSize === 0 && index > 0) yield;
    const name = nameAt(statement, index);
    const before = statement.at(index - 1);
    const isTablePosition = length > 1 || is(before, "FROM") || is(before, "IN");
    if (isTablePosition && name.length >= length) catalogs.add(name.first);
  }
  return catalogs;
}

/** Returns the number of parts of a complete name in a statement SHOW. */
function partsOfShown(statement: Tokens): number {
  const [kind, second, third] = [statement.at(1), statement.at(2), statement.at(3)];
  if (["SCHEMAS", "ROLES", "ROLE", "CURRENT"].includes(kind?.word ?? "")) return 1;
  const isSchema = is(kind, "CREATE") ? is(second, "SCHEMA") : is(kind, "GRANTS") && is(third, "SCHEMA");
  return is(kind, "TABLES") || is(kind, "FUNCTIONS") || isSchema ? 2 : 3;
}

import { isOneOf, nameOf, type Token } from "./tokens.ts";

/**
 * Part of a query that a pair of parentheses has reached. Only in `from`, a comma precedes a table; only after `select`,
 * FROM does: `extract(year FROM t)` names no table.
 */
type Clause = "select" | "from" | "other";

/** Reserved words after the tables of FROM. No name can be one of them without quotes. */
const afterFrom = ["WHERE", "GROUP", "HAVING", "ORDER", "UNION", "INTERSECT", "EXCEPT", "VALUES"];

/**
 * Returns the catalogs that a statement without EXPLAIN names, in lower case. Names of columns are not searched, because
 * a column can name only the catalog of a table of its query.
 */
export function catalogsOf(statement: readonly Token[]): ReadonlySet<string> {
  const catalogs = shownCatalogs(statement);
  const clauses: Clause[] = ["other"];
  let isTable = false; // the next name is that of a table
  for (let index = 0; index < statement.length; index++) {
    const token = statement[index];
    const clause = clauses.at(-1);
    if (isOneOf(token, "(", "[")) {
      clauses.push(isTable ? "from" : "other");
      continue; // a table can follow in the parentheses
    }
    const parts = partsAt(statement, index);
    index += Math.max(0, parts.length * 2 - 2);
    const [first = "", second] = parts;
    const isFunction = isOneOf(statement[index + 1], "(") && !(first === "system" && second === "builtin");
    if (parts.length > 2 && (isTable || isFunction)) catalogs.add(first);
    isTable = false;
    if (isOneOf(token, ")", "]")) clauses.pop();
    else if (isOneOf(token, "SELECT")) clauses.splice(-1, 1, "select");
    else if (isOneOf(token, ...afterFrom)) clauses.splice(-1, 1, "other");
    else if (isOneOf(token, "JOIN", "TABLE") || (isOneOf(token, ",") && clause === "from")) isTable = true;
    else if (isOneOf(token, "FROM") && clause === "select" && !isOneOf(statement[index - 1], "DISTINCT")) {
      isTable = true;
      clauses.splice(-1, 1, "from");
    }
  }
  return catalogs;
}

/** Returns the parts of the name that begins at a token, and none for a token that begins no name. */
function partsAt(tokens: readonly Token[], at: number): readonly string[] {
  const parts: string[] = [];
  if (isOneOf(tokens[at - 1], ".")) return parts;
  for (let index = at; ; index += 2) {
    const part = nameOf(tokens[index]);
    if (part === undefined) return parts;
    parts.push(part);
    if (!isOneOf(tokens[index + 1], ".")) return parts;
  }
}

/** Returns the catalogs in SHOW and DESCRIBE, whose names have one to three parts. */
function shownCatalogs(statement: readonly Token[]): Set<string> {
  const catalogs = new Set<string>();
  if (!isOneOf(statement[0], "SHOW", "DESCRIBE", "DESC")) return catalogs;
  const query = statement.findIndex((token) => isOneOf(token, "("));
  const tokens = query < 0 ? statement : statement.slice(0, query);
  const length = isOneOf(tokens[0], "SHOW") ? partsOfShown(tokens) : 3;
  for (const index of tokens.keys()) {
    const parts = partsAt(tokens, index);
    const isPlace = length > 1 || isOneOf(tokens[index - 1], "FROM", "IN");
    if (isPlace && parts.length >= length) catalogs.add(parts[0] ?? "");
  }
  return catalogs;
}

/** Returns the number of parts of a complete name in a statement SHOW. */
function partsOfShown([, kind, second, third]: readonly Token[]): number {
  if (isOneOf(kind, "SCHEMAS", "ROLES", "ROLE", "CURRENT")) return 1;
  const isSchema = isOneOf(kind, "CREATE")
    ? isOneOf(second, "SCHEMA")
    : isOneOf(kind, "GRANTS") && isOneOf(third, "SCHEMA");
  return isOneOf(kind, "TABLES", "FUNCTIONS") || isSchema ? 2 : 3;
}

import { failure } from "../failure.ts";
import { catalogsOf } from "./catalogs.ts";
import { isOneOf, nameOf, type Token, tokensOf } from "./tokens.ts";

/** First words of statements that only read, after EXPLAIN. */
const readingWords = ["SELECT", "WITH", "TABLE", "VALUES", "(", "SHOW", "DESCRIBE", "DESC"];

/**
 * Table functions that only read. Others are refused, because connectors have functions such as `query` that send their
 * argument to another database as it is.
 */
const readingFunctions: ReadonlySet<string> = new Set(["sequence", "exclude_columns", "table_changes"]);

/**
 * Admits one statement that only reads, and returns it without the semicolons at its end. This check, the gate, cannot
 * replace a user whose rights are to read only: it does not know what the functions of a connector do, and views can
 * read other catalogs.
 * @param catalogs catalogs that the statement may name, in lower case; undefined for all
 * @throws {StatementError} `StatementNotAllowed`
 */
export function admit(sql: string, catalogs?: ReadonlySet<string>): string {
  const tokens = [...tokensOf(sql)];
  while (isOneOf(tokens.at(-1), ";")) tokens.pop();
  if (tokens.length === 0) throw refused("the text has no statement");
  const statement = withoutExplain(tokens);
  const [first, second] = statement;
  if (!isOneOf(first, ...readingWords)) throw refused("it is not a query, SHOW, DESCRIBE or EXPLAIN of these");
  // The bodies of inline functions have semicolons. Trino itself refuses a second statement after them.
  if (!(isOneOf(first, "WITH") && isOneOf(second, "FUNCTION")) && tokens.some((token) => isOneOf(token, ";")))
    throw refused("the text has several statements");
  for (const [index, token] of tokens.entries()) {
    const rest = tokens.slice(index + 1, index + 3);
    if (isOneOf(token, "WITH") && setsSession(rest)) throw refused("it sets a property of the session");
    if (isOneOf(token, "TABLE") && isOneOf(rest[0], "(")) checkTable(tokens, index + 2);
  }
  for (const catalog of catalogsOf(statement))
    if (catalogs !== undefined && !catalogs.has(catalog)) throw otherCatalog(catalog);
  return sql.slice(0, tokens.at(-1)?.end);
}

/** Removes EXPLAIN and its options, because EXPLAIN ANALYZE executes the statement after it. */
function withoutExplain(tokens: readonly Token[]): readonly Token[] {
  let rest = tokens;
  while (isOneOf(rest[0], "EXPLAIN")) {
    rest = rest.slice(1);
    if (isOneOf(rest[0], "ANALYZE")) rest = rest.slice(isOneOf(rest[1], "VERBOSE") ? 2 : 1);
    const isOption = isOneOf(rest[0], "(") && isOneOf(rest[1], "TYPE", "FORMAT");
    if (isOption) rest = rest.slice(rest.findIndex((token) => isOneOf(token, ")")) + 1);
  }
  return rest;
}

/** Returns true for `WITH SESSION name = value`, and false for a query that is named session. */
function setsSession([session, next]: readonly Token[]): boolean {
  return isOneOf(session, "SESSION") && !isOneOf(next, "AS", "(");
}

/**
 * Checks `TABLE(…)`, which calls a table function, or passes a table or a query to one.
 * @param at index of the first token in the parentheses
 */
function checkTable(tokens: readonly Token[], at: number): void {
  if (isOneOf(tokens[at], "SELECT", "WITH", "VALUES", "TABLE", "(")) return;
  let index = at;
  let name = nameOf(tokens[index]);
  while (name !== undefined && isOneOf(tokens[index + 1], ".")) {
    index += 2;
    name = nameOf(tokens[index]);
  }
  if (name !== undefined && isOneOf(tokens[index + 1], ")")) return; // a table as an argument
  if (name !== undefined && isOneOf(tokens[index + 1], "(") && readingFunctions.has(name)) return;
  throw refused(`it calls the table function ${name ?? ""}, which may do more than read`);
}

function refused(reason: string, advice = "send one statement that reads"): Error {
  return failure("StatementNotAllowed", "USER", `Statement not allowed: ${reason}; ${advice}.`);
}

function otherCatalog(catalog: string): Error {
  const advice = "query a data source of that catalog, or add the catalog to the parameter catalogs of the address";
  return refused(`it names the catalog ${catalog}, which is not of the data source`, advice);
}

import { failure } from "../failure.ts";
import { catalogsOf } from "./catalogs.ts";
import { is, isName, nameOf, type Sliced, sliceSize, type Tokens, tokensOf } from "./tokens.ts";

/** First words of statements that only read, after EXPLAIN. */
const readingWords: ReadonlySet<string> = new Set("SELECT WITH TABLE VALUES ( SHOW DESCRIBE DESC".split(" "));

/**
 * Table functions that only read. Others are refused, because connectors have functions such as `query` that send their
 * argument to another database as it is.
 */
const readingFunctions: ReadonlySet<string> = new Set(["sequence", "exclude_columns", "table_changes"]);

/** Words that can follow `TABLE(` before a table or a query. */
const queryWords: ReadonlySet<string> = new Set(["SELECT", "WITH", "VALUES", "TABLE", "("]);

/** Catalog of every Trino, whose tables have the statements of all callers. */
const systemCatalog = "system";

/**
 * Admits one statement that only reads, and returns it without the semicolons at its end. This check, the gate, cannot
 * replace a user whose rights are to read only: it does not know what the functions of a connector do, and views can
 * read other catalogs.
 * @param catalogs catalogs that the statement may name, in lower case; undefined for all except `system`
 * @throws {StatementError} `StatementNotAllowed`
 */
export function* admit(sql: string, catalogs?: ReadonlySet<string>): Sliced<string> {
  const all = yield* tokensOf(sql);
  let count = all.length;
  while (is(all.at(count - 1), ";")) count--;
  if (count === 0) throw refused("the text has no statement");
  const tokens = part(all, 0, count);
  const statement = part(tokens, afterExplain(tokens), count);
  const first = statement.at(0);
  if (!readingWords.has(first?.word ?? "")) throw refused("it is not a query, SHOW, DESCRIBE or EXPLAIN of these");
  // The bodies of inline functions have semicolons. Trino itself refuses a second statement after them.
  const hasFunction = is(first, "WITH") && is(statement.at(1), "FUNCTION");
  for (let index = 0; index < count; index++) {
    if (index % sliceSize === 0 && index > 0) yield;
    const word = tokens.at(index)?.word;
    if (word === ";" && !hasFunction) throw refused("the text has several statements");
    if (word === "WITH" && setsSession(tokens, index + 1)) throw refused("it sets a property of the session");
    if (word === "TABLE" && is(tokens.at(index + 1), "(")) checkTable(tokens, index + 2);
  }
  for (const catalog of yield* catalogsOf(statement)) checkCatalog(catalog, catalogs);
  return sql.slice(0, tokens.at(count - 1)?.end);
}

/** Returns the tokens from one index up to another one, as a view. */
function part(tokens: Tokens, from: number, to: number): Tokens {
  return { length: to - from, at: (index) => (index >= 0 && index < to - from ? tokens.at(index + from) : undefined) };
}

/**
 * Returns the index of the first token after EXPLAIN and its options, because EXPLAIN ANALYZE executes the statement
 * after it.
 */
function afterExplain(tokens: Tokens): number {
  let at = 0;
  while (is(tokens.at(at), "EXPLAIN")) {
    at++;
    if (is(tokens.at(at), "ANALYZE")) at += is(tokens.at(at + 1), "VERBOSE") ? 2 : 1;
    if (!is(tokens.at(at), "(") || !(is(tokens.at(at + 1), "TYPE") || is(tokens.at(at + 1), "FORMAT"))) continue;
    while (at < tokens.length && !is(tokens.at(at), ")")) at++;
    at++;
  }
  return at;
}

/** Returns true for `WITH SESSION name = value`, and false for a query that is named session. */
function setsSession(tokens: Tokens, at: number): boolean {
  return is(tokens.at(at), "SESSION") && !is(tokens.at(at + 1), "AS") && !is(tokens.at(at + 1), "(");
}

/**
 * Checks `TABLE(…)`, which calls a table function, or passes a table or a query to one.
 * @param at index of the first token in the parentheses
 */
function checkTable(tokens: Tokens, at: number): void {
  if (queryWords.has(tokens.at(at)?.word ?? "")) return;
  let index = at;
  // A name has three parts at most.
  while (index < at + 6 && isName(tokens.at(index)) && is(tokens.at(index + 1), ".")) index += 2;
  const name = nameOf(tokens.at(index));
  if (name !== undefined && is(tokens.at(index + 1), ")")) return; // a table as an argument
  if (name !== undefined && is(tokens.at(index + 1), "(") && readingFunctions.has(name)) return;
  throw refused(`it calls the table function ${name ?? ""}, which may do more than read`);
}

function checkCatalog(catalog: string, catalogs: ReadonlySet<string> | undefined): void {
  if (catalogs?.has(catalog) || (catalogs === undefined && catalog !== systemCatalog)) return;
  if (catalog === systemCatalog)
    throw refused(
      "it names the catalog system, which has the statements of all callers",
      "to allow this, add system to the parameter catalogs of the address",
    );
  const advice = "query a data source of that catalog, or add the catalog to the parameter catalogs of the address";
  throw refused(`it names the catalog ${catalog}, which is not of the data source`, advice);
}

function refused(reason: string, advice = "send one statement that reads"): Error {
  return failure("StatementNotAllowed", "USER", `Statement not allowed: ${reason}; ${advice}.`);
}

import { failure } from "../failure.ts";
import { isReadableSystemTable, isRefusedFunction } from "./functions.ts";
import { isIdentifier, type Parameter, parametersOf } from "./parameters.ts";
import { isOneOf, nameOf, type Token, tokensOf } from "./tokens.ts";

/** Statement that the gate has admitted. */
export interface Admitted {
  /** Statement without the semicolons at its end. */
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** `query` can be a part of another query, and `inspection` cannot. `explainAnalyze` executes the statement after it. */
  readonly form: "query" | "inspection" | "explainAnalyze";
}

const queryWords = ["SELECT", "WITH", "FROM", "("];
const showable = ["TABLES", "DATABASES", "COLUMNS", "DICTIONARIES", "FUNCTIONS", "INDEX", "INDEXES", "INDICES", "KEYS"];
const explainWords = ["AST", "SYNTAX", "QUERY", "TREE", "PLAN", "PIPELINE", "ESTIMATE", "ANALYZE"];

/**
 * Admits one statement that only reads. This check, the gate, cannot replace a user whose rights are to read only, nor
 * the setting `readonly=1` that each statement has: it does not know what the functions and tables of a server do.
 * @throws {StatementError} `StatementNotAllowed`
 */
export function admit(text: string): Admitted {
  const tokens = [...tokensOf(text)];
  while (isOneOf(tokens.at(-1), ";")) tokens.pop();
  if (tokens.length === 0) throw refused("the text has no statement");
  for (const [index, token] of tokens.entries()) checkToken(text, token, tokens.slice(index + 1, index + 4));
  const [beforeLast, last] = tokens.slice(-2);
  if (isOneOf(beforeLast, "FORMAT") && nameOf(last) !== undefined && !isOneOf(last, "ASC", "DESC"))
    throw refused("it has a FORMAT; remove it, because Quern sets the format");
  const form = formOf(tokens);
  const sql = text.slice(0, tokens.at(-1)?.end);
  const parameters = parametersOf(sql, tokens);
  if (parameters.some(isIdentifier)) throw refused("the value of a parameter is a name; write the name itself");
  return { sql, parameters, form };
}

function formOf(tokens: readonly Token[]): Admitted["form"] {
  const [first, ...rest] = tokens;
  if (isOneOf(first, ...queryWords)) return "query";
  if (isOneOf(first, "DESCRIBE", "DESC")) return "inspection";
  if (isOneOf(first, "SHOW")) {
    const [what, next] = rest.filter((token) => !isOneOf(token, "FULL", "EXTENDED", "TEMPORARY"));
    if (isOneOf(what, ...showable)) return "inspection";
    if (isOneOf(what, "CREATE") && isOneOf(next, "TABLE", "VIEW", "DATABASE", "DICTIONARY")) return "inspection";
    throw refused("it shows more than tables, columns and functions");
  }
  if (!isOneOf(first, "EXPLAIN")) throw refused("it is not SELECT, WITH, FROM, SHOW, DESCRIBE or EXPLAIN");
  const start = rest.findIndex((token, index) => !isOption(token, rest[index - 1], rest[index + 1]));
  if (!isOneOf(rest[start], ...queryWords)) throw refused("it explains another statement than SELECT, WITH or FROM");
  return rest.slice(0, start).some((token) => isOneOf(token, "ANALYZE")) ? "explainAnalyze" : "inspection";
}

/** Returns true for a word of EXPLAIN itself, or a part of `name = value` after it. */
function isOption(token: Token, before: Token | undefined, after: Token | undefined): boolean {
  return isOneOf(token, ...explainWords, "=", ",") || isOneOf(before, "=") || isOneOf(after, "=");
}

function checkToken(text: string, token: Token, [next, afterNext]: readonly Token[]): void {
  if (isOneOf(token, ";")) throw refused("the text has several statements");
  if (isOneOf(token, "'", '"', "`") || (isOneOf(token, "/") && isOneOf(next, "*") && next?.start === token.end))
    throw refused("a quote or comment has no end");
  // The end of a name with $ and the begin of $tag$ are not told apart here.
  if (token.text.startsWith("$") && (token.text.length === 1 || /[\w$]/.test(text.charAt(token.start - 1))))
    throw refused("it has a $ outside quotes; quote the name");
  if (/^[^\x20-\x7e]/.test(token.text))
    throw refused(`it has ${JSON.stringify(token.text)} outside quotes; quote the name`);
  if (/^["`].*\\/s.test(token.text)) throw refused("a quoted name has a backslash");
  if (isOneOf(token, "INTO")) throw refused("it writes INTO a table or file");
  if (isOneOf(token, "PARALLEL") && isOneOf(next, "WITH")) throw refused("the text has several statements");
  if (isOneOf(token, "SETTINGS") && nameOf(next) !== undefined && isOneOf(afterNext, "="))
    throw refused("it changes SETTINGS; remove them");
  const name = nameOf(token);
  if (name === undefined) return;
  if (isOneOf(next, "(") && isRefusedFunction(name))
    throw refused(`it calls the function ${name}, which may do more than read`);
  if (name === "system" && isOneOf(next, ".") && !isReadableSystemTable(nameOf(afterNext) ?? ""))
    throw refused(`it reads system.${nameOf(afterNext) ?? ""}, which can have data of other users`);
}

function refused(reason: string): Error {
  return failure("StatementNotAllowed", "USER", `Statement not allowed: ${reason}; send one statement that reads.`);
}

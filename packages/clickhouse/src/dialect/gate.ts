import { inSlices } from "@quern/adapter";
import { failure } from "../failure.ts";
import { isReadableTable, isRefusedFunction, isRefusedValue, isTableFunction, takesFunction } from "./functions.ts";
import { isIdentifier, type Parameter, parametersOf } from "./parameters.ts";
import { isSettingsClause } from "./settings-clause.ts";
import { createTablePositions } from "./table-positions.ts";
import { isNameStart, nameOf, piecesPerSlice, shown, type Tokens, tokensOf } from "./tokens.ts";

/** Statement that the gate has admitted. */
export interface Admitted {
  /** Statement without the semicolons at its end. */
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** `query` can be a part of another query, and `inspection` cannot. `explainAnalyze` executes the statement after it. */
  readonly form: "query" | "inspection" | "explainAnalyze";
  /** It has a subquery or a dictionary as a value, which can be the structure of a table or the name of a type. */
  readonly hasRowNames: boolean;
}

const queryWords: ReadonlySet<string> = new Set(["SELECT", "WITH", "FROM", "("]);
const showable: ReadonlySet<string> = new Set([
  "TABLES",
  "DATABASES",
  "COLUMNS",
  "DICTIONARIES",
  "FUNCTIONS",
  "INDEX",
  "INDEXES",
  "INDICES",
  "KEYS",
]);
const creatable: ReadonlySet<string> = new Set(["TABLE", "VIEW", "DATABASE", "DICTIONARY"]);
const explainWords: ReadonlySet<string> = new Set([
  "AST",
  "SYNTAX",
  "QUERY",
  "TREE",
  "PLAN",
  "PIPELINE",
  "ESTIMATE",
  "ANALYZE",
  "=",
  ",",
]);
/** Words before a parenthesized query that is not a scalar subquery. */
const beforeQuery: ReadonlySet<string> = new Set([
  "",
  ")",
  "IN",
  "AS",
  "EXISTS",
  "ALL",
  "ANY",
  "DISTINCT",
  "UNION",
  "EXCEPT",
  "INTERSECT",
  "VIEW",
  "EXPLAIN",
  "PLAN",
  "DESCRIBE",
  "DESC",
  "TABLE",
]);

/**
 * Admits one statement that only reads, in slices, so that a long one does not hold up other work. This check, the gate,
 * cannot replace a user whose rights are to read only, nor the setting
 * `readonly=1` that each statement has: it does not know what the functions and tables of a server do.
 * @throws {StatementError} `StatementNotAllowed`
 */
export function admit(text: string): Promise<Admitted> {
  return inSlices(admission(text));
}

function* admission(text: string): Generator<void, Admitted> {
  const tokens = yield* tokensOf(text);
  let length = tokens.length;
  while (length > 0 && tokens.text(length - 1) === ";") length -= 1;
  if (tokens.flaw !== undefined) throw refused(tokens.flaw);
  if (length === 0) throw refused("the text has no statement");
  const hasRowNames = yield* checkTokens(tokens, length);
  const last = upperCase(tokens.text(length - 1));
  if (wordAt(tokens, length - 2) === "FORMAT" && nameOf(last) !== undefined && last !== "ASC" && last !== "DESC")
    throw refused("it has a FORMAT; remove it, because Quern sets the format");
  const form = formOf(tokens, length);
  const sql = text.slice(0, tokens.end(length - 1));
  const parameters = yield* parametersOf(sql, tokens, length);
  if (parameters.some(isIdentifier)) throw refused("the value of a parameter is a name; write the name itself");
  return { sql, parameters, form, hasRowNames };
}

function formOf(tokens: Tokens, length: number): Admitted["form"] {
  const first = wordAt(tokens, 0);
  if (queryWords.has(first)) return "query";
  if (first === "DESCRIBE" || first === "DESC") return "inspection";
  if (first === "SHOW") {
    let at = 1;
    const next = (): string => {
      while (["FULL", "EXTENDED", "TEMPORARY"].includes(wordAt(tokens, at))) at += 1;
      at += 1;
      return wordAt(tokens, at - 1);
    };
    const what = next();
    if (showable.has(what) || (what === "CREATE" && creatable.has(next()))) return "inspection";
    throw refused("it shows more than tables, columns and functions");
  }
  if (first !== "EXPLAIN") throw refused("it is not SELECT, WITH, FROM, SHOW, DESCRIBE or EXPLAIN");
  let isExecuted = false;
  let at = 1;
  for (; at < length; at += 1) {
    const word = wordAt(tokens, at);
    // A word of EXPLAIN itself, or a part of `name = value` after it.
    const isOption = explainWords.has(word) || wordAt(tokens, at - 1) === "=" || wordAt(tokens, at + 1) === "=";
    if (!isOption) break;
    if (word === "ANALYZE") isExecuted = true;
  }
  if (at === length || !queryWords.has(wordAt(tokens, at)))
    throw refused("it explains another statement than SELECT, WITH or FROM");
  return isExecuted ? "explainAnalyze" : "inspection";
}

/** Checks the tokens. Returns true if a value of a row can be the name of a column. */
function* checkTokens(tokens: Tokens, length: number): Generator<void, boolean> {
  const positions = createTablePositions();
  let hasRowNames = false;
  let beforeLast = "";
  let before = "";
  let opener = ""; // before the last parentheses, however many there are
  let text = tokens.text(0);
  let word = upperCase(text);
  for (let at = 0; at < length; at += 1) {
    if (at > 0 && at % piecesPerSlice === 0) yield;
    const next = at + 1 < length ? tokens.text(at + 1) : "";
    const nextWord = upperCase(next);
    const isTable = positions.isTable(word, next, nextWord);
    if (word === ";") throw refused("the text has several statements");
    if (isNameStart(text)) checkName(tokens, at, { beforeLast, before, opener, text, word, next, nextWord, isTable });
    const isQuery = word === "(" && next !== "(" && queryWords.has(nextWord) && !isTable;
    if (isQuery && !beforeQuery.has(upperCase(opener))) hasRowNames = true;
    if (next === "(" && /^[`"]?(?:dict|joinget)/i.test(text)) hasRowNames = true;
    if (next === "(" && word !== "(") opener = text;
    beforeLast = before;
    before = word;
    text = next;
    word = nextWord;
  }
  return hasRowNames;
}

interface NameContext {
  readonly beforeLast: string;
  readonly before: string;
  readonly opener: string;
  readonly text: string;
  readonly word: string;
  readonly next: string;
  readonly nextWord: string;
  readonly isTable: boolean;
}

/** Checks a word or quoted name. */
function checkName(tokens: Tokens, at: number, context: NameContext): void {
  const { before, opener, text, word, next, nextWord, isTable } = context;
  if (word === "PARALLEL" && nextWord === "WITH") throw refused("the text has several statements");
  if (word === "INTO") throw refused("it writes INTO a table or file");
  if (!/^\w/.test(text) && text.includes("\\")) throw refused("a quoted name has a backslash");
  if (word === "SETTINGS" && isSettingsClause({ ...context, afterNext: tokens.text(at + 2) }))
    throw refused("it changes SETTINGS; remove them");
  if (before === "APPLY" || (before === "(" && takesFunction(nameOf(opener) ?? ""))) {
    const name = nameOf(text) ?? "";
    if (isRefusedValue(name)) throw refused(`it passes the function ${name}, which may do more than read`);
  }
  if (next === "(") {
    const name = nameOf(text) ?? "";
    if (isRefusedFunction(name)) throw refused(`it calls the function ${name}, which may do more than read`);
    if (isTable && !isTableFunction(name))
      throw refused(`it calls the table function ${shown(name)}, which may do more than read`);
  }
  if (next !== ".") return;
  const database = nameOf(text) ?? "";
  const table = nameOf(tokens.text(at + 2)) ?? "";
  if (!isReadableTable(database, table))
    throw refused(`it reads ${database}.${shown(table)}, which can have data of other users`);
}

/** Returns a token in upper case; an empty text for one that is longer than any keyword. */
function wordAt(tokens: Tokens, index: number): string {
  return upperCase(tokens.text(index));
}

function upperCase(text: string): string {
  if (text.length < 2) return text; // a sign, or a letter, which is no keyword
  return text.length > 20 ? "'" : text.toUpperCase();
}

function refused(reason: string): Error {
  return failure("StatementNotAllowed", "USER", `Statement not allowed: ${reason}; send one statement that reads.`);
}

import { inSlices, StatementError } from "@quern/adapter";
import { ExplainError, explainHead } from "./explain.ts";
import { LexicalError, scan, type Token } from "./lexer.ts";
import { isRefusedName } from "./refused-names.ts";

/** Offsets of a part of a statement, in UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Statement that only reads. */
export interface AdmittedStatement {
  readonly sql: string;
  /** `EXPLAIN` and its options, if the statement is explained. */
  readonly explain?: string | undefined;
  /** Offset of the statement: 0, or after `EXPLAIN` and its options. */
  readonly start: number;
  /** Offset after the statement, before a final semicolon. */
  readonly end: number;
  /** Parameters such as `$1` and `$name`. */
  readonly named: readonly Span[];
  /** Offset of each `?`, which can be a parameter or an operator. */
  readonly marks: readonly number[];
}

/** First words of statements that read. */
const readingWords: ReadonlySet<string> = new Set(["select", "with", "values", "table"]);

const writingWords: ReadonlySet<string> = new Set(["insert", "update", "delete", "merge"]);

/** Words and signs before a name in a WITH: that of a table of it, or of a column in SEARCH and CYCLE. */
const beforeName: ReadonlySet<string> = new Set(["with", "recursive", "by", "set", "using", "to", "default", ","]);

/**
 * Admits one statement that only reads. Between slices of a long one, the event loop handles other events.
 * @throws {StatementError} `StatementNotAllowed`
 */
export function admit(sql: string): Promise<AdmittedStatement> {
  return inSlices(admission(sql));
}

/**
 * Admits a statement in slices. This gate is a second layer of protection: the role of the source must not be
 * allowed to do more than read. It checks names and not calls, because `(x).name` calls a function, too, and only the
 * catalog of the database tells it from a column.
 * @throws {StatementError} `StatementNotAllowed`
 */
export function* admission(sql: string): Generator<undefined, AdmittedStatement> {
  if (sql.includes("\0")) throw refused("it has a NUL character; remove it.");
  const named: Span[] = [];
  const marks: number[] = [];
  let first: Token | undefined;
  let before: Token | undefined;
  let current: Token | undefined;
  /** For each pair of parentheses that has begun: a query has begun in it, after its WITH. */
  const queries: boolean[] = [false];

  function writes(word: string, after: Token | undefined): boolean {
    if (!writingWords.has(word) || before === undefined) return false;
    if (before.text === "(") return after?.text !== ",";
    return queries.at(-1) === false && !beforeName.has(before.text) && after?.kind !== "sign";
  }

  function check(token: Token, after: Token | undefined): void {
    const { kind, text } = token;
    if (kind === "sign" && text === ";" && after !== undefined)
      throw refused("the text has several statements; send one.");
    if (kind === "parameter") named.push({ start: token.start, end: token.end });
    if (kind === "sign" && text === "?") marks.push(token.start);
    if (kind === "name" && text === "into" && before?.text !== ".")
      throw refused("SELECT INTO creates a table; remove INTO.");
    if (kind === "sign" && text === "(") queries.push(false);
    if (kind === "sign" && text === ")") queries.splice(-1, 1);
    if (kind === "name" && readingWords.has(text) && text !== "with") queries.splice(-1, 1, true);
    if (kind === "name" && writes(text, after))
      throw refused(`it writes (${text.toUpperCase()}); send a statement that reads.`);
    if ((kind === "name" || kind === "quotedName") && isRefusedName(text))
      throw refused(`the name ${shown(text)} can be that of a function or view that is not allowed; remove it.`);
  }
  let start = 0;
  function visit(token: Token): void {
    if (token.start < start) return;
    if (first === undefined && token.text !== "(") {
      first = token;
      if (token.text !== ";" && (token.kind !== "name" || !readingWords.has(token.text)))
        throw refused("it is not a query; send SELECT, WITH, VALUES or TABLE, or EXPLAIN of one.");
    }
    if (current !== undefined) check(current, token);
    before = current;
    current = token;
  }

  let explain: string | undefined;
  try {
    ({ explain, start } = (yield* explainHead(sql)) ?? { explain, start });
    yield* scan(sql, visit);
  } catch (error) {
    throw error instanceof LexicalError || error instanceof ExplainError ? refused(`${error.message}.`) : error;
  }
  if (current !== undefined) check(current, undefined);
  if (first === undefined || first.text === ";")
    throw refused("the text has no statement; send one statement that reads.");
  const isEnded = current?.kind === "sign" && current.text === ";";
  return { sql, explain, start, end: (isEnded ? before : current)?.end ?? 0, named, marks };
}

function refused(reason: string): StatementError {
  return new StatementError({
    name: "StatementNotAllowed",
    message: `Statement not allowed: ${reason}`,
    data: { category: "USER", engine: "postgres", retryable: false },
  });
}

/** Shortens a name, which can be as long as the statement. */
function shown(name: string): string {
  return name.length > 63 ? `${name.slice(0, 63)}…` : name;
}

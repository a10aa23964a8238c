import { scan, type Token } from "./lexer.ts";

/** `EXPLAIN` and its options at the beginning of a statement. */
export interface ExplainHead {
  /** `EXPLAIN` and its options on one line, such as `EXPLAIN (analyze, format json)`. */
  readonly explain: string;
  /** Offset of the explained statement, in UTF-16 code units. */
  readonly start: number;
}

/** Options that are not allowed, or are no options. */
export class ExplainError extends Error {}

/** `settings` is not among them: it shows the configuration of the server. */
const options = "analyze verbose costs buffers wal timing summary memory serialize format".split(" ");

/** Words that begin a statement in parentheses after `EXPLAIN`, and no list of options. */
const statementWords: ReadonlySet<string> = new Set(["select", "with", "values", "table"]);

/** `EXPLAIN` with each option once, with a value and a comma, has fewer tokens. */
const maxTokens = 64;

/**
 * Returns the head of an EXPLAIN. PostgreSQL gets the head as it was read here, and never the text of the caller. Yields
 * between slices of a long text.
 * @throws {ExplainError} if an option is not allowed
 * @throws {LexicalError} as {@link scan}
 */
export function* explainHead(sql: string): Generator<undefined, ExplainHead | undefined> {
  if (!/explain/i.test(sql)) return undefined;
  const tokens: Token[] = [];
  for (const pause of scan(sql, (token) => void tokens.push(token))) {
    if (tokens.length >= maxTokens) break;
    yield pause;
  }
  const [first, second, third] = tokens;
  if (!isName(first, "explain")) return undefined;
  if (second?.text === "(" && third?.kind === "name" && !statementWords.has(third.text)) return optionList(sql, tokens);
  const analyze = isName(second, "analyze", "analyse") ? second : undefined;
  const afterAnalyze = analyze === undefined ? second : third;
  const verbose = isName(afterAnalyze, "verbose") ? afterAnalyze : undefined;
  const words = [...(analyze ? ["analyze"] : []), ...(verbose ? ["verbose"] : [])];
  return head(words, (verbose ?? analyze ?? first)?.end);
}

/** Reads the options in parentheses. */
function optionList(sql: string, tokens: readonly Token[]): ExplainHead {
  const written: string[] = [];
  for (let at = 2; ; at += 1) {
    const name = tokens[at];
    const word = name?.text === "analyse" ? "analyze" : (name?.text ?? "");
    if (name?.kind !== "name" || !options.includes(word))
      throw new ExplainError(
        `the option ${name === undefined ? "" : sql.slice(name.start, name.end).slice(0, 63)} of EXPLAIN is not allowed; use ${options.join(", ").toUpperCase()}`,
      );
    at += 1;
    const value = tokens[at] === undefined ? "" : sql.slice(tokens[at]?.start, tokens[at]?.end);
    const hasValue = /^(?:\w{1,16}|'\w{1,16}')$/.test(value);
    if (hasValue) at += 1;
    written.push(hasValue ? `${word} ${value}` : word);
    const sign = tokens[at];
    if (sign?.text === ")") return head(written, sign.end);
    if (sign?.text !== ",")
      throw new ExplainError(`the option ${word.toUpperCase()} of EXPLAIN has no valid value; use one word`);
  }
}

function head(written: readonly string[], start = 0): ExplainHead {
  return { explain: written.length === 0 ? "EXPLAIN" : `EXPLAIN (${written.join(", ")})`, start };
}

function isName(token: Token | undefined, ...names: readonly string[]): boolean {
  return token?.kind === "name" && names.includes(token.text);
}

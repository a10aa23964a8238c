/** First words of statements that return rows, in the dialects of the engines. */
const readingStatement =
  /^[\s(]*(?:select|with|from|values|table|show|describe|desc|explain|summarize|pivot|unpivot)(?![\w-])/i;

/** Comments at the start of a statement, and the first character after them. */
const commentFirst = /^(?:\s*(?:--[^\n]*\n|\/\*[\s\S]*?\*\/))+\s*\S/;

/**
 * Returns whether a word of the command line is a statement: it has white space and begins as one that returns rows, or with
 * a comment.
 */
export function isReadingStatement(word: string): boolean {
  return (/\S\s+\S/.test(word) && readingStatement.test(word)) || commentFirst.test(word);
}

const ownFlag = /^(?:-h|-H|--help|--help-all|--helpAll|-v|--version|--)$/;
const statementFlag = /^(?:(?:-[Atx]*[cf]|--command|--file)(?:=|$)|.+\.sql$)/i;
/** Flags for the form of rows, without a value and with one. */
const formFlag = /^(?:--(?:csv|tsv|vertical|json|full|no-header|tuples-only|no-progress|stop-on-error)|-[Atx]+)$/;
const valuedFlag = /^(?:--(?:format|output|null|max-rows|param|data-source|tag|with|profile|url)|-[Atx]*[Fop])(?==|$)/;

/**
 * Puts `query` before the words if they begin with a statement, as in `quern "select 1"`, or with flags of a statement, as
 * in `quern -c "select 1"` and `quern --csv "select 1"`, or if there are only flags and the statement is on stdin.
 * @param isPiped Returns whether stdin is no terminal. It is called only if that matters, because Node then opens stdin.
 */
export function withQueryCommand(words: readonly string[], isPiped = () => false): readonly string[] {
  const [first = "", ...rest] = words;
  const hasFlagFirst = first.startsWith("-") && !ownFlag.test(first);
  const isStatement = (word: string) => statementFlag.test(word) || isReadingStatement(word);
  const hasValueNext = (word = "") => valuedFlag.exec(word)?.[0] === word;
  const isForm = (word: string, at: number) =>
    formFlag.test(word) || valuedFlag.test(word) || (at > 0 && hasValueNext(words[at - 1]));
  const isQuery =
    isReadingStatement(first) || (hasFlagFirst && (words.some(isStatement) || (words.every(isForm) && isPiped())));
  return first === "query" || isQuery ? ["query", ...(isQuery ? words : rest).flatMap(separated)] : words;
}

/** Separates a flag with a value from those before it, as in `-Atc "select 1"`: the framework joins only flags without one. */
function separated(word: string): readonly string[] {
  const [, flags, valued] = /^(-[Atx]+)([cFfop])$/.exec(word) ?? [];
  return flags === undefined ? [word] : [flags, `-${valued}`];
}

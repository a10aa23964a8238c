/** First words of statements that return rows, in the dialects of the engines. */
const readingStatement =
  /^[\s(]*(?:select|with|from|values|table|show|describe|desc|explain|summarize|pivot|unpivot)(?![\w-])/i;

/** Returns whether a word of the command line is a statement: it has white space and begins as one that returns rows. */
export function isReadingStatement(word: string): boolean {
  return /\S\s+\S/.test(word) && readingStatement.test(word);
}

const ownFlag = /^(?:-h|-H|--help|--help-all|--helpAll|-v|--version|--)$/;
const statementFlag = /^(?:(?:-c|--command|--file)(?:=|$)|.+\.sql$)/i;

/**
 * Puts `query` before the words if they begin with a statement, as in `quern "select 1"`, or with flags of a statement, as
 * in `quern -c "select 1"` and `quern --csv "select 1"`.
 */
export function withQueryCommand(words: readonly string[]): readonly string[] {
  const [first = ""] = words;
  const hasFlagFirst = first.startsWith("-") && !ownFlag.test(first);
  const isStatement = (word: string) => statementFlag.test(word) || isReadingStatement(word);
  return isReadingStatement(first) || (hasFlagFirst && words.some(isStatement)) ? ["query", ...words] : words;
}

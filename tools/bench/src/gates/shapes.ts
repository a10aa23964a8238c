/** Longest statement, in bytes. */
const maxLength = 262_144;

const filled = (part: string, start = "select 1 "): string =>
  `${start}${part.repeat(Math.ceil(maxLength / part.length))}`.slice(0, maxLength);

/** Returns a statement of the largest length. Each has another text, because the run of an equal one answers a call. */
export const ordinaryStatement = (text: string): string => `select '${text.padEnd(maxLength - "select ''".length)}'`;

/** Statements of the largest length on which a careless lexer takes quadratic time, memory or stack. */
export const shapes: Readonly<Record<string, string>> = {
  "unclosed comments": filled("/*"),
  "closed comments": filled("/**/ "),
  "unclosed quotes": filled("'\\"),
  "quoted names": filled('"a"'),
  "dollar quotes": filled("$a$ $b$ "),
  "a parameter with a large number": "select $90000000".padEnd(maxLength),
  "question marks": filled("?,"),
  "braces with names": filled("{a:"),
  "open parentheses": filled("("),
  "names of system": filled("system.", "select * from "),
  "lists of tables": filled("from a,"),
  "one-letter words": filled("a "),
};

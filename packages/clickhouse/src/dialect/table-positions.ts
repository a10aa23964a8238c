/** Finds the tokens of a statement that stand where a table is expected, such as after FROM. Gets each token once, in order. */
export interface TablePositions {
  /** @param word token in upper case */
  isTable(word: string, next: string, nextWord: string): boolean;
}

/** Clauses after the list of tables. Such a word with a comma after it is an alias. */
const laterClauses: ReadonlySet<string> = new Set([
  "WHERE",
  "PREWHERE",
  "GROUP",
  "HAVING",
  "ORDER",
  "LIMIT",
  "OFFSET",
  "WINDOW",
  "QUALIFY",
  "SETTINGS",
  "FORMAT",
  "UNION",
  "EXCEPT",
  "INTERSECT",
]);
/** Words after which the next one is a name, also if it is a keyword. */
const beforeName: ReadonlySet<string> = new Set(["FROM", "JOIN", ",", ".", "AS"]);
/** Functions whose arguments can have a FROM, such as `extract(year FROM time)`. */
const withFrom: ReadonlySet<string> = new Set([
  "EXTRACT",
  "TRIM",
  "LTRIM",
  "RTRIM",
  "SUBSTRING",
  "SUBSTR",
  "MID",
  "OVERLAY",
  "OVERLAYUTF8",
]);
const queryWords: ReadonlySet<string> = new Set(["SELECT", "WITH", "FROM", "EXPLAIN"]);

/** States of a pair of parentheses, as bits. */
const inTables = 1;
const inArguments = 2;
const hasSelect = 4;

export function createTablePositions(): TablePositions {
  const outer: number[] = [];
  let state = 0;
  let beforeLast = "";
  let last = "";
  let isTable = false;
  let expectsTable = false;

  function enter(): void {
    outer.push(state);
    // FROM (a JOIN b): a list of tables in parentheses.
    if (isTable) state = inTables;
    else state = withFrom.has(last) ? inArguments : 0;
    expectsTable = isTable;
  }

  function changeState(word: string, next: string, nextWord: string): void {
    if (last === "(" && queryWords.has(word)) state = 0;
    const isDistinct = last === "DISTINCT" && (beforeLast === "IS" || beforeLast === "NOT");
    if ((word === "FROM" && (state & inArguments) === 0 && !isDistinct) || (word === "JOIN" && last !== "ARRAY")) {
      state |= inTables;
      expectsTable = true;
    } else if (word === "DESCRIBE" || word === "DESC") expectsTable = last === "";
    else if (word === "TABLE") expectsTable = last === "DESCRIBE" || last === "DESC";
    else if (next !== "," && !beforeName.has(last)) {
      if (laterClauses.has(word) || (word === "ARRAY" && nextWord === "JOIN")) state &= ~inTables;
      if (word === "UNION" || word === "EXCEPT" || word === "INTERSECT") state = 0;
      if (word === "SELECT" && (state & hasSelect) === 0) state = hasSelect;
    }
  }

  return {
    isTable(word, next, nextWord) {
      isTable = expectsTable && !(last === "(" && queryWords.has(word));
      expectsTable = false;
      if (word === "(") enter();
      else if (word === ")") state = outer.pop() ?? 0;
      else if (word === ",") expectsTable = (state & inTables) !== 0;
      else if (word.length > 1) changeState(word, next, nextWord);
      beforeLast = last;
      last = word;
      return isTable;
    },
  };
}

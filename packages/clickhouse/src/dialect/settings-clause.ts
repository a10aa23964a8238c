import { nameOf } from "./tokens.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words and signs before a value or a table, so that `settings` after them can be its name. */
const beforeName = words(`
  SELECT DISTINCT WHERE PREWHERE HAVING QUALIFY BY AND OR NOT XOR ON AS IN FROM JOIN LIKE ILIKE BETWEEN CASE WHEN THEN
  ELSE LIMIT OFFSET INTERVAL DIV MOD IS ARRAY USING . , ( [ + - / % < > = | ? : !
`);

/** Words that follow a value or a table, and that are no name of a setting. */
const afterName = words(`
  FROM AS WHERE PREWHERE GROUP HAVING QUALIFY ORDER LIMIT OFFSET WINDOW AND OR XOR NOT IS IN LIKE ILIKE REGEXP BETWEEN
  DIV MOD ASC DESC NULLS COLLATE THEN ELSE END WHEN ON USING JOIN INNER LEFT RIGHT FULL CROSS OUTER ANY ALL ASOF SEMI
  ANTI GLOBAL PASTE ARRAY UNION EXCEPT INTERSECT WITH SAMPLE INTERPOLATE SELECT SETTINGS FORMAT
`);

/** Tokens around the word SETTINGS, in upper case, except for `next`. */
interface Surroundings {
  readonly beforeLast: string;
  readonly before: string;
  readonly next: string;
  readonly nextWord: string;
  readonly afterNext: string;
}

/**
 * Returns true if SETTINGS begins a clause, and false if it is the name of a column, a table or an alias. A setting without
 * a value is 1, so `SETTINGS final` is a clause. A name that is a keyword can precede the clause: `SELECT 1 AS mod SETTINGS final`.
 */
export function isSettingsClause({ beforeLast, before, next, nextWord, afterNext }: Surroundings): boolean {
  if (nameOf(next) === undefined) return false;
  const canBeName = before === "" || (beforeName.has(before) && beforeLast !== "AS" && beforeLast !== ".");
  if (afterNext === "=" || !canBeName) return true;
  // Only the name of a table has an alias without AS, or FINAL, after it.
  const isTable = (before === "FROM" || before === "JOIN") && !beforeName.has(beforeLast);
  return !isTable && !afterName.has(nextWord);
}

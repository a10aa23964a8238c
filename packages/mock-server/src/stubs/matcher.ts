import type { Parameters, Tags } from "@quern/query-run/record";
import { memberCheck } from "../member-check.ts";
import type { MockQuery } from "../statement/query.ts";
import { normalizedStatement } from "../statement/sql-text.ts";

/** Conditions on a statement; all of them must hold. A call of `describeQuery` is matched without tags and parameters, which it lacks. */
export interface StatementMatch {
  /**
   * SQL, compared without white space, comments and trailing semicolons, and without letter case outside of quotes; or
   * a pattern to find in it.
   */
  readonly sql?: string | RegExp;
  /** Tags that the statement must have; it may have more. */
  readonly tags?: Tags;
  /** All positional parameters; or named ones, beside which the statement may have more. */
  readonly parameters?: Parameters;
  readonly dataSource?: string;
}

/**
 * Selects the statements of a stub: SQL, compared as in `StatementMatch`; a pattern to find in the SQL; an object of
 * conditions; or a predicate.
 */
export type Matcher = string | RegExp | StatementMatch | ((query: MockQuery) => boolean);

/** Matcher as it is applied to statements. */
export interface Condition {
  /** Text of the matcher. */
  readonly text: string;
  /** SQL of the matcher; undefined for a pattern, a function, and conditions without SQL. */
  readonly sql: string | undefined;
  /** Returns the names of the conditions that a statement does not meet; none if it matches. */
  mismatches(query: MockQuery): readonly string[];
}

const checkMatch = memberCheck<StatementMatch>("when", {
  sql: {},
  tags: { type: "object" },
  parameters: { type: ["array", "object"] },
  dataSource: { type: "string" },
});

/** Compiles a matcher. @throws TypeError for a matcher that is not valid. */
export function condition(matcher: Matcher): Condition {
  if (typeof matcher === "function")
    return {
      text: String(matcher),
      sql: undefined,
      mismatches: (query) => (isTrue(matcher(query)) ? [] : ["the function, which returned false"]),
    };
  const match = checkedMatch(matcher);
  const { sql, tags = {}, parameters, dataSource } = match;
  const hasSql = sqlTest(sql);
  return {
    text: matcher instanceof RegExp ? String(matcher) : JSON.stringify(matcher, patternAsText),
    sql: typeof sql === "string" ? sql : undefined,
    mismatches(query) {
      const names: string[] = [];
      if (!hasSql(query.sql)) names.push("the SQL");
      if (!query.describes && !hasMembers(query.tags, tags)) names.push("the tags");
      if (!query.describes && parameters !== undefined && !hasParameters(query.parameters, parameters))
        names.push("the parameters");
      if (dataSource !== undefined && dataSource !== query.dataSource) names.push("the data source");
      return names;
    },
  };
}

/** Refuses promises, which are always truthy. */
function isTrue(answer: unknown): boolean {
  if (answer instanceof Promise)
    throw new TypeError("when: expected a function that returns true or false, got one that returns a promise");
  return Boolean(answer);
}

/** Checks a matcher of plain JavaScript. An undefined member is refused, because it would match every statement. */
function checkedMatch(matcher: string | RegExp | StatementMatch): StatementMatch {
  if (typeof matcher === "string" && matcher.trim() === "")
    throw new TypeError(`when: expected SQL, got ${JSON.stringify(matcher)}`);
  if (typeof matcher === "string" || matcher instanceof RegExp) return { sql: matcher };
  if (typeof matcher !== "object" || matcher === null || Array.isArray(matcher))
    throw new TypeError(
      `when: expected SQL, a RegExp, an object of conditions or a function, got ${describe(matcher)}`,
    );
  checkMatch(matcher);
  for (const [member, value] of Object.entries(matcher))
    if (value === undefined) throw new TypeError(`when: invalid ${member}: expected a value, got undefined`);
  const { sql } = matcher;
  if (sql !== undefined && typeof sql !== "string" && !(sql instanceof RegExp))
    throw new TypeError(`when: invalid sql: expected a string or a RegExp, got ${describe(sql)}`);
  return matcher;
}

function describe(value: unknown): string {
  return value === undefined || typeof value === "symbol" ? String(value) : JSON.stringify(value);
}

function patternAsText(_: string, value: unknown): unknown {
  return value instanceof RegExp || typeof value === "bigint" ? String(value) : value;
}

function sqlTest(wanted: string | RegExp | undefined): (sql: string) => boolean {
  if (wanted === undefined) return () => true;
  // `search` ignores `lastIndex`; `test` with the flag `g` would continue after the previous match.
  if (wanted instanceof RegExp) return (sql) => sql.search(wanted) >= 0;
  const text = normalizedStatement(wanted);
  return (sql) => sql === wanted || normalizedStatement(sql) === text;
}

function hasMembers(values: object, wanted: object): boolean {
  const own = new Map(Object.entries(values));
  return Object.entries(wanted).every(([name, value]) => own.get(name) === value);
}

function hasParameters(values: Parameters | null, wanted: Parameters): boolean {
  if (values === null) return Object.keys(wanted).length === 0;
  if (Array.isArray(wanted) !== Array.isArray(values)) return false;
  return hasMembers(values, wanted) && (!Array.isArray(wanted) || wanted.length === values.length);
}

import type { Parameters, Tags } from "@quern/query-run/record";
import { memberCheck } from "../member-check.ts";
import type { MockQuery } from "../statement/query.ts";
import { normalizedStatement } from "../statement/sql-text.ts";

/** Statements by what is said of them: all of it has to hold, but for tags and parameters where a statement is only described. */
export interface StatementMatch {
  /** The same SQL but for white space, comments and letter case, or a pattern. */
  readonly sql?: string | RegExp;
  /** Tags that the statement has among others. */
  readonly tags?: Tags;
  /** Positional parameters all, or named ones among others. */
  readonly parameters?: Parameters;
  readonly dataSource?: string;
}

/** Statements of a stub: the same SQL but for white space, comments and letter case; a pattern; an object of conditions; or a function, called once a statement. */
export type Matcher = string | RegExp | StatementMatch | ((query: MockQuery) => boolean);

/** What a statement has to have to be answered by a stub. */
export interface Condition {
  /** The matcher as it was written. */
  readonly text: string;
  /** The statement that is wanted, where it is one. */
  readonly sql: string | undefined;
  /** What of a statement is other than wanted; nothing for one that matches. */
  mismatches(query: MockQuery): readonly string[];
}

const checkMatch = memberCheck<StatementMatch>("when", {
  sql: {},
  tags: { type: "object" },
  parameters: { type: ["array", "object"] },
  dataSource: { type: "string" },
});

/** Reads a matcher. @throws TypeError where it is none. */
export function condition(matcher: Matcher): Condition {
  if (typeof matcher === "function")
    return {
      text: String(matcher),
      sql: undefined,
      mismatches: (query) => (isTrue(matcher(query)) ? [] : ["the function"]),
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

/** Any promise would be taken for true. */
function isTrue(answer: unknown): boolean {
  if (answer instanceof Promise)
    throw new TypeError("when: expected a function that returns true or false, got one that returns a promise");
  return Boolean(answer);
}

/** Checks what plain JavaScript may pass: a member that is undefined would match every statement. */
function checkedMatch(matcher: string | RegExp | StatementMatch): StatementMatch {
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
  return value instanceof RegExp ? String(value) : value;
}

function sqlTest(wanted: string | RegExp | undefined): (sql: string) => boolean {
  if (wanted === undefined) return () => true;
  // `search` starts at the beginning whatever the flags; `test` would go on where it stopped.
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

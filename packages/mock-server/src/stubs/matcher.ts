import type { Parameters, Tags } from "@quern/query-run/record";
import { normalizedStatement } from "./sql-text.ts";

/** What a stub or `execute` can decide by. */
export interface MockQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  readonly dataSource: string;
  /** Whether only its columns are asked for, which is done without tags and parameters. */
  readonly describes?: true;
}

/** Where statements run that name no source. A mock takes any other name, too. */
export const defaultSource = { dataSource: "samples", dataProvider: "quern" };

/** Params of a call that brings a statement. */
export interface StatementParams {
  readonly sql: string;
  readonly parameters?: Parameters | null | undefined;
  readonly tags?: Tags | undefined;
  readonly dataSource?: string | undefined;
}

/** What a stub can decide by of a call. */
export function queryOf({ sql, parameters = null, tags = {}, ...source }: StatementParams): MockQuery {
  const { dataSource = defaultSource.dataSource } = source;
  return { sql, parameters, tags, dataSource };
}

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

/** Which statements a stub answers: the same SQL but for white space, comments and letter case; a pattern; more than that; or a test. */
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

export function condition(matcher: Matcher): Condition {
  if (typeof matcher === "function")
    return { text: String(matcher), sql: undefined, mismatches: (query) => (matcher(query) ? [] : ["the test"]) };
  const match = typeof matcher === "string" || matcher instanceof RegExp ? { sql: matcher } : matcher;
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

function patternAsText(_: string, value: unknown): unknown {
  return value instanceof RegExp ? String(value) : value;
}

function sqlTest(wanted: string | RegExp | undefined): (sql: string) => boolean {
  if (wanted === undefined) return () => true;
  // `search` starts at the beginning whatever the flags; `test` would go on where it stopped.
  if (wanted instanceof RegExp) return (sql) => sql.search(wanted) >= 0;
  const text = normalizedStatement(wanted);
  return (sql) => normalizedStatement(sql) === text;
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

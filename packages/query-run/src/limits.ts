/** One thing that a limit refuses, in the words of `data.issues`; `pointer` starts at the parameter object. */
export interface LimitIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** Runs that a list has where the caller does not say how many. */
export const defaultListLimit = 50;

const maxSqlBytes = 262_144;
const utf8 = new TextEncoder();

/** What keeps a text from being run as SQL, as far as a schema cannot say it. */
export function sqlIssues(sql: string): LimitIssue[] {
  const pointer = "/sql";
  if (sql.trim() === "") return [{ pointer, expected: "a SQL statement", received: "only white space" }];
  if (sql.includes("\0")) return [{ pointer, expected: "text without NUL", received: "a NUL character" }];
  const bytes = utf8.encode(sql).length;
  if (bytes <= maxSqlBytes) return [];
  return [{ pointer, expected: `at most ${maxSqlBytes} bytes of UTF-8`, received: `${bytes} bytes` }];
}

/** Whether one more unfinished run is too many for a tenant that has `unfinished`. A missing cap is no cap. */
export function isAtRunLimit(unfinished: number, maxUnfinishedRuns: number | undefined): boolean {
  return maxUnfinishedRuns !== undefined && unfinished >= maxUnfinishedRuns;
}

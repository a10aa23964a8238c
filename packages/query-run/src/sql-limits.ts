/**
 * Issue of a call's parameter object, as an error reports it in `data.issues`. `pointer` is relative to that object.
 */
export interface LimitIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

const maxSqlBytes = 262_144;
const utf8 = new TextEncoder();

/** Returns the issues of a SQL text that its schema cannot express. */
export function sqlIssues(sql: string): LimitIssue[] {
  const pointer = "/sql";
  if (sql.trim() === "") return [{ pointer, expected: "a SQL statement", received: "only white space" }];
  if (sql.includes("\0")) return [{ pointer, expected: "text without NUL", received: "a NUL character" }];
  const bytes = utf8.encode(sql).length;
  if (bytes <= maxSqlBytes) return [];
  return [{ pointer, expected: `at most ${maxSqlBytes} bytes of UTF-8`, received: `${bytes} bytes` }];
}

import type { Tags } from "./record.ts";

/** What a caller may ask for. A missing cap is no cap. */
export interface RunLimits {
  readonly maxSqlBytes: number;
  readonly maxTags: number;
  readonly maxTagKeyLength: number;
  readonly maxTagValueLength: number;
  readonly maxUnfinishedRuns?: number | undefined;
}

export const defaultRunLimits: RunLimits = {
  maxSqlBytes: 262_144,
  maxTags: 32,
  maxTagKeyLength: 64,
  maxTagValueLength: 256,
};

/** One thing that a limit refuses, in the words of `data.issues`; `pointer` starts at the parameter object. */
export interface LimitIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

export function sqlIssues(sql: string, limits: RunLimits): LimitIssue[] {
  const pointer = "/sql";
  if (sql.trim() === "") return [{ pointer, expected: "a SQL statement", received: "only white space" }];
  if (sql.includes("\0")) return [{ pointer, expected: "text without NUL", received: "a NUL character" }];
  const bytes = utf8Length(sql);
  if (bytes <= limits.maxSqlBytes) return [];
  return [{ pointer, expected: `at most ${limits.maxSqlBytes} bytes of UTF-8`, received: `${bytes} bytes` }];
}

export function tagIssues(tags: Tags, limits: RunLimits): LimitIssue[] {
  const entries = Object.entries(tags);
  const issues: LimitIssue[] = [];
  if (entries.length > limits.maxTags) {
    issues.push({ pointer: "/tags", expected: `at most ${limits.maxTags} tags`, received: `${entries.length} tags` });
  }
  for (const [key, value] of entries) {
    const pointer = `/tags/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const expected =
      tooLong(key, limits.maxTagKeyLength, "a key") ?? tooLong(value, limits.maxTagValueLength, "a value");
    if (expected !== undefined) issues.push({ pointer, ...expected });
  }
  return issues;
}

function tooLong(text: string | null, limit: number, what: string): Omit<LimitIssue, "pointer"> | undefined {
  const length = text === null ? 0 : [...text].length;
  if (length <= limit) return undefined;
  return { expected: `${what} of at most ${limit} characters`, received: `${length} characters` };
}

/** Whether one more unfinished run is too many for a tenant that has `unfinished`. */
export function isAtRunLimit(unfinished: number, limits: Pick<RunLimits, "maxUnfinishedRuns">): boolean {
  return limits.maxUnfinishedRuns !== undefined && unfinished >= limits.maxUnfinishedRuns;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

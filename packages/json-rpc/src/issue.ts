import type { ErrorObject, Issue } from "./method.ts";
import { InvalidRequest } from "./method.ts";

const longestText = 60;

/** A value as the `received` of an issue: scalars as JSON, shortened; `nothing` for undefined. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  // JSON has no infinity; a number that is too large to hold arrives as one.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to hold";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** The JSON pointer of a path (RFC 6901). */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** An issue at a path. */
export function issueAt(path: readonly PropertyKey[], expected: string, value: unknown): Issue {
  const pointer = pointerOf(path);
  const received = describe(value);
  return { message: `expected ${expected}, received ${received}`, path, pointer, expected, received };
}

/** What of an issue travels in `data.issues`. */
export interface WireIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** An error whose message tells the first of its issues. */
interface IssuesError extends ErrorObject {
  readonly data: { readonly issues: readonly WireIssue[] };
}

/**
 * An error that lists issues in its data.
 * @param base The pointer of the value the issues speak of, within the request, e.g. `/params/0`.
 */
export function issuesError(code: number, title: string, issues: readonly WireIssue[], base = ""): IssuesError {
  const wire: WireIssue[] = issues.map(({ pointer, expected, received }) => ({
    pointer: base + pointer,
    expected,
    received,
  }));
  const first = wire[0];
  const place = first?.pointer === "" ? "" : `${first?.pointer}: `;
  const message =
    first === undefined ? title : `${title}: ${place}expected ${first.expected}, received ${first.received}`;
  return { code, message, data: { issues: wire } };
}

/** The error of a request that is more than is allowed. */
export function beyondLimit(expected: string): ErrorObject {
  return issuesError(InvalidRequest, "Invalid Request", [{ pointer: "", expected, received: "more" }]);
}

import { ExactNumber } from "./exact-number.ts";
import type { ErrorObject, Issue } from "./method.ts";
import { InvalidRequest } from "./method.ts";

const longestText = 60;

/** Describes a value for the `received` of an issue: a scalar as shortened JSON, `nothing` for undefined. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) return "an object";
  // `JSON.parse` reads a number beyond the range of doubles as infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond the range of doubles";
  const text = value instanceof ExactNumber ? value.exactNumber : (JSON.stringify(value) ?? typeof value);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** Returns the JSON pointer of a path (RFC 6901). */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Makes an issue of the value at a path. */
export function issueAt(path: readonly PropertyKey[], expected: string, value: unknown): Issue {
  const pointer = pointerOf(path);
  const received = describe(value);
  return { message: `expected ${expected}, received ${received}`, path, pointer, expected, received };
}

/** Issue as it is sent in `data.issues`. */
export interface WireIssue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** Error whose message describes its first issue. */
interface IssuesError extends ErrorObject {
  readonly data: { readonly issues: readonly WireIssue[] };
}

/**
 * Makes an error with issues in its data.
 * @param base Pointer of the validated value within the request, e.g. `/params/0`.
 */
export function issuesError(code: number, title: string, issues: readonly WireIssue[], base = ""): IssuesError {
  const wire: WireIssue[] = issues.map(({ pointer, expected, received }) => ({
    pointer: base + pointer,
    expected,
    received,
  }));
  const first = wire[0];
  const position = first?.pointer === "" ? "" : `${first?.pointer}: `;
  const message =
    first === undefined ? title : `${title}: ${position}expected ${first.expected}, received ${first.received}`;
  return { code, message, data: { issues: wire } };
}

/** Makes the error of a request that exceeds a limit. */
export function limitExceeded(expected: string): ErrorObject {
  return issuesError(InvalidRequest, "Invalid Request", [{ pointer: "", expected, received: "more" }]);
}

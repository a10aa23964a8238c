/** One call of a body, as far as it can be read. */
export interface Call {
  readonly method: string;
  /** The one object that methods take; undefined where the body has none. */
  readonly params: unknown;
  /** Undefined for a notification. */
  readonly id: unknown;
}

/** Returns the call that a member of a body is; undefined where it is none. */
export function callOf(member: unknown): Call | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  // The members are read as they are, whatever they are.
  const { method, params, id } = member as Readonly<Record<string, unknown>>;
  return typeof method === "string" ? { method, params: Array.isArray(params) ? params[0] : undefined, id } : undefined;
}

/** Members of params that are of one call only: how long it waits, and which repetition it is. */
const passing = ["waitSeconds", "idempotencyKey"];

/** Returns params without what is of one call only. */
export function lastingParams(params: unknown): unknown {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !passing.includes(name)));
}

const maxTextLength = 200;

/** Returns a call as text for the author of a test. */
export function callText(method: string, params: unknown): string {
  const text = jsonText(params);
  return `${method}(${text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text})`;
}

function jsonText(params: unknown): string {
  try {
    return JSON.stringify(params, (_, value) => (value instanceof RegExp ? String(value) : value)) ?? "";
  } catch {
    // Calls that are refused may be deeper than the stack.
    return "…";
  }
}

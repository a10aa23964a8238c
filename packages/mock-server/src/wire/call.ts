/** Call in the body of a request. */
export interface Call {
  readonly method: string;
  /** First element of the array `params`; undefined if there is none. */
  readonly params: unknown;
  /** Undefined for a notification. */
  readonly id: unknown;
}

/** Returns a member of a body as a call; undefined if it is not one. */
export function callOf(member: unknown): Call | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  // The values may have any type; only the method is checked.
  const { method, params, id } = member as Readonly<Record<string, unknown>>;
  return typeof method === "string" ? { method, params: Array.isArray(params) ? params[0] : undefined, id } : undefined;
}

/** Params that differ between equal calls. */
const transient = ["waitSeconds", "results", "idempotencyKey"];

/** Returns params without those that differ between equal calls. */
export function lastingParams(params: unknown): unknown {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !transient.includes(name)));
}

const maxTextLength = 200;

/** Returns a call as text for the author of a test. Params are cut after 200 characters. */
export function callText(method: string, params: unknown): string {
  const text = jsonText(params);
  return `${method}(${text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text})`;
}

function jsonText(params: unknown): string {
  try {
    return JSON.stringify(params, (_, value) => (value instanceof RegExp ? String(value) : value)) ?? "";
  } catch {
    // `stringify` overflows the stack on deeply nested params, which the handler refuses.
    return "…";
  }
}

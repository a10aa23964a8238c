// A number can only be too large for a double with an exponent of three digits or with 309 digits before the point.
const suspicious = /\d[eE]\+?0*[1-9]\d{2}|\d{309}/;

/** Whether a body may hold a number that no double holds, such as `1e400`. Cheap, and never wrong when it says no. */
export function mayOverflow(text: string): boolean {
  return suspicious.test(text);
}

/** The path to the first number of a parsed value that was too large for a double. `JSON.parse` made it an infinity. */
export function overflowPath(value: unknown): readonly PropertyKey[] | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const path = overflowPath(member);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

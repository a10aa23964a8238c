/** Writes a value of JavaScript as JSON, with every digit: a `bigint` as a number, a date as ISO 8601, bytes as base64. */
export function jsonValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case "bigint":
    case "boolean":
      return String(value);
    case "undefined":
      return "null";
    case "object":
      return value === null ? "null" : jsonObject(value);
    default:
      throw new TypeError(`a ${typeof value} cannot be a value of a row`);
  }
}

function jsonObject(value: object): string {
  if (value instanceof Date) return JSON.stringify(value.toISOString()); // throws for an invalid date
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map(jsonValue).join(",")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonValue(member)}`);
  return `{${members.join(",")}}`;
}

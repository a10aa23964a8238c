/** Parameter as it is sent, and the SQL type that its text is cast to. */
export interface BoundValue {
  readonly value: string | number | boolean | null;
  readonly type?: "TIMESTAMP" | "BIGINT" | "HUGEINT";
}

/**
 * Returns the parameter for a value.
 * @param position Name of the value for the error, such as `value 1`.
 * @throws {TypeError} for a value that no parameter can carry; the message says what to pass instead.
 */
export function boundValue(value: unknown, position: string): BoundValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return { value };
  if (typeof value === "number" && Number.isFinite(value)) return { value };
  if (typeof value === "bigint") {
    if (Number.isSafeInteger(Number(value))) return { value: Number(value) };
    if (BigInt.asIntN(64, value) === value) return { value: String(value), type: "BIGINT" };
    if (BigInt.asIntN(128, value) === value) return { value: String(value), type: "HUGEINT" };
  }
  if (isDate(value)) {
    const time = Number.isNaN(value.getTime()) ? "" : value.toISOString();
    // ISO 8601 text of a year before 0 or after 9999 has a sign, which engines parse differently.
    if (/^\d/.test(time)) return { value: time.slice(0, -1).replace("T", " "), type: "TIMESTAMP" };
  }
  const [problem, advice] = refusal(value);
  throw new TypeError(`sql: ${problem}: ${position}; ${advice}`);
}

/** Recognizes also the dates of other realms, such as an iframe. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/** Returns the reason why a value is not supported, and how to pass it instead. */
function refusal(value: unknown): readonly [problem: string, advice: string] {
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (value === undefined) return ["undefined is not supported", "pass null for NULL"];
  if (typeof value === "number") return [`${value} is not supported`, `pass "${value}" and cast it: CAST(… AS DOUBLE)`];
  if (typeof value === "bigint") return ["integers beyond 128 bits are not supported", "pass the integer as text"];
  if (isDate(value))
    return ["dates that are invalid or beyond the years 0 to 9999 are not supported", "pass a valid date, or text"];
  if (Array.isArray(value)) return ["arrays are not supported", "use list([…]) after IN, or a value for each element"];
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return [`bytes (${kind}) are not supported`, "pass base64 text to from_base64(…)"];
  if (kind.startsWith("Temporal."))
    return [`${kind} is not supported`, "pass String(value) and cast it to its SQL type, e.g. CAST(… AS TIMESTAMP)"];
  if (kind === "Promise") return ["promises are not supported", "await the value first"];
  // JSON has no members of other objects, such as a map.
  if (kind === "Object") return ["objects are not supported", "pass JSON.stringify(value)"];
  const name = typeof value === "object" ? `objects (${kind})` : `${typeof value}s`;
  return [`${name} are not supported`, "pass a string, a number, a boolean, a date or null"];
}

/** What a parameter of a statement can be. Dates travel as ISO text; integers beyond 2^53 as text of their digits. */
export type SqlValue = string | number | bigint | boolean | null | Date;

const segments: unique symbol = Symbol("segments");

/** SQL text with the values of its parameters: spread it into a query, or put it into another `sql`. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
  readonly [segments]: readonly (string | Value)[];
}

interface Value {
  readonly value: string | number | boolean | null;
}

/**
 * SQL whose values travel beside it and never become part of its text.
 * @example query(client, { ...sql`select * from cars where origin = ${origin}`, maxAgeMinutes: 60 })
 * @throws {TypeError} for a value that SQL does not have, `undefined` and `NaN` among them.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): SqlFragment {
  return fragment(
    strings.flatMap((text, index) => {
      if (index === values.length) return [text];
      const value = values[index];
      return typeof value === "object" && value !== null && segments in value
        ? [text, ...value[segments]]
        : [text, { value: wireValue(value) }];
    }),
  );
}

/** A name (a table, a column) for use inside `sql`. */
export function identifier(...names: readonly string[]): SqlFragment {
  return fragment([names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".")]);
}

/**
 * SQL with its values written into it as literals, for services that take no parameters.
 * @throws {TypeError} as `sql` does.
 */
export function sqlText(strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): string {
  const parts = sql(strings, ...values)[segments];
  return parts.map((part) => (typeof part === "string" ? part : literal(part.value))).join("");
}

function fragment(parts: readonly (string | Value)[]): SqlFragment {
  const parameters: Value["value"][] = [];
  const text = parts.map((part) => (typeof part === "string" ? part : `$${parameters.push(part.value)}`)).join("");
  return { sql: text, parameters, [segments]: parts };
}

function wireValue(value: unknown): Value["value"] {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new TypeError(`sql: ${String(value)} (${typeof value}) is no SQL value`);
}

function literal(value: Value["value"]): string {
  if (value === null) return "NULL";
  // Two minus signs would begin a comment.
  if (typeof value === "number" && (value < 0 || Object.is(value, -0))) return `(${value})`;
  if (typeof value !== "string") return String(value);
  const quoted = `'${value.replaceAll("'", "''")}'`;
  // Some engines take a backslash for the start of an escape, and the quote behind it for text.
  return value.includes("\\") ? `(${quoted.replaceAll("\\", "' || chr(92) || '")})` : quoted;
}

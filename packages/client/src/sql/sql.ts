import { type BoundValue, boundValue } from "./sql-value.ts";

/**
 * A value that a statement can have. A `Date` is a TIMESTAMP in UTC, with milliseconds; an integer beyond 2^53 (`bigint`) is
 * a BIGINT, and beyond 64 bits a HUGEINT.
 */
export type SqlValue = string | number | bigint | boolean | null | Date;

const segments: unique symbol = Symbol("segments");

/** SQL text with the values of its parameters: spread it into a query, or put it into another `sql`. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
  readonly [segments]: readonly (string | BoundValue)[];
}

/**
 * SQL whose values are sent as parameters and never become part of its text.
 * @example query(client, { ...sql`select * from cars where origin = ${origin}`, maxAgeMinutes: 60 })
 * @throws {TypeError} for a value that SQL does not have (`undefined`, `NaN`, arrays, objects); the message says what to pass.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): SqlFragment {
  if (!Array.isArray(strings))
    throw new TypeError("sql: expected a template: write sql`…`; pass other text as { sql: text }");
  return fragment(
    strings.flatMap((text, index) =>
      index === values.length ? [text] : [text, ...partsOf(values[index], `value ${index + 1}`)],
    ),
  );
}

/** A name (a table, a column) for use inside `sql`. */
export function identifier(...names: readonly string[]): SqlFragment {
  return fragment([names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".")]);
}

/**
 * Values for IN and NOT IN inside `sql`. An empty list is valid: IN matches no row, and NOT IN every row.
 * @example sql`select * from cars where origin in ${list(["Japan", "Europe"])}`
 * @throws {TypeError} for a value that `sql` refuses, and for NULL: IN never matches it, and NOT IN would match no row.
 */
export function list(values: readonly (SqlValue | SqlFragment)[]): SqlFragment {
  if (!Array.isArray(values)) throw new TypeError("list: expected an array; spread other iterables: list([...values])");
  if (values.length === 0) return fragment(["(SELECT NULL WHERE FALSE)"]);
  const parts = values.flatMap((value, index) => {
    const position = `value ${index + 1} of a list`;
    if (value === null) throw new TypeError(`sql: NULL matches nothing: ${position}; remove it and add "or … is null"`);
    return [index === 0 ? "(" : ", ", ...partsOf(value, position)];
  });
  return fragment([...parts, ")"]);
}

/**
 * SQL with its values written into it as literals, for services that take no parameters.
 * @throws {TypeError} as `sql` does.
 */
export function sqlText(strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): string {
  const parts = sql(strings, ...values)[segments];
  return parts.map((part) => (typeof part === "string" ? part : literal(part))).join("");
}

function partsOf(value: SqlValue | SqlFragment | undefined, position: string): readonly (string | BoundValue)[] {
  if (typeof value === "object" && value !== null && segments in value) return value[segments];
  return [boundValue(value, position)];
}

function fragment(parts: readonly (string | BoundValue)[]): SqlFragment {
  const parameters: BoundValue["value"][] = [];
  const placeholder = ({ value, type }: BoundValue) => {
    const name = `$${parameters.push(value)}`;
    // As text alone it would be a VARCHAR, for which functions and operators have no match.
    return type ? `CAST(${name} AS ${type})` : name;
  };
  const text = parts.map((part) => (typeof part === "string" ? part : placeholder(part))).join("");
  return { sql: text, parameters, [segments]: parts };
}

function literal({ value, type }: BoundValue): string {
  if (value === null) return "NULL";
  if (type === "TIMESTAMP") return `TIMESTAMP '${value}'`;
  const isNumber = typeof value === "number" || type !== undefined;
  // Two minus signs would begin a comment.
  if (isNumber) return Object.is(value, -0) || Number(value) < 0 ? `(${value})` : String(value);
  if (typeof value === "boolean") return String(value);
  const quoted = `'${value.replaceAll("'", "''")}'`;
  // Some engines take a backslash for the start of an escape, and the quote behind it for text.
  return value.includes("\\") ? `(${quoted.replaceAll("\\", "' || chr(92) || '")})` : quoted;
}

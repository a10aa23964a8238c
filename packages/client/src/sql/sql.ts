import { type BoundValue, boundValue } from "./sql-value.ts";

/**
 * Value in a statement. A `Date` is a TIMESTAMP in UTC, with milliseconds; an integer beyond 2^53 - 1 (`bigint`) is
 * a BIGINT, and beyond 64 bits a HUGEINT.
 */
export type SqlValue = string | number | bigint | boolean | null | Date;

/**
 * SQL text with its parameters. Spread it into a query, or use it as a value of another `sql`, also of another copy of this
 * package.
 */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
  /** Texts and values in their order, for `sql`. Not enumerable, so it is never sent. */
  readonly "~parts": readonly (string | BoundValue)[];
}

/**
 * Template tag for SQL. The values are sent as parameters and never become part of the text.
 * @example query(client, { ...sql`select * from cars where origin = ${origin}`, maxAgeMinutes: 60 })
 * @throws {TypeError} for a value that no parameter can carry (`undefined`, `NaN`, arrays, objects); the message says what to pass instead.
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

/**
 * Quotes the name of a table or column for use inside `sql`; several names are joined by dots.
 * @example sql`select * from ${identifier("main", "cars")}`
 */
export function identifier(...names: string[]): SqlFragment {
  return fragment([names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".")]);
}

/**
 * List of values after IN or NOT IN inside `sql`. An empty list is valid: IN matches no row, and NOT IN every row.
 * @example sql`select * from cars where origin in ${list(["Japan", "Europe"])}`
 * @throws {TypeError} for a value that `sql` does not support, and for NULL: IN never matches it, and NOT IN would match no row.
 */
export function list(values: readonly (SqlValue | SqlFragment)[]): SqlFragment {
  if (!Array.isArray(values)) throw new TypeError("list: expected an array; spread other iterables: list([...values])");
  if (values.length === 0) return fragment(["(SELECT NULL WHERE FALSE)"]);
  const parts = values.flatMap((value, index) => {
    const position = `value ${index + 1} of a list`;
    if (value === null)
      throw new TypeError(
        `sql: NULL is not supported: ${position}; remove it and test for it with IS NULL or IS NOT NULL`,
      );
    return [index === 0 ? "(" : ", ", ...partsOf(value, position)];
  });
  return fragment([...parts, ")"]);
}

/**
 * Template tag for SQL text with its values as literals, for services that do not support parameters.
 * @throws {TypeError} as `sql` does.
 */
export function sqlText(strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): string {
  const parts = sql(strings, ...values)["~parts"];
  return parts.map((part) => (typeof part === "string" ? part : literal(part))).join("");
}

function partsOf(value: SqlValue | SqlFragment | undefined, position: string): readonly (string | BoundValue)[] {
  if (typeof value === "object" && value !== null && "~parts" in value) return value["~parts"];
  return [boundValue(value, position)];
}

function fragment(parts: readonly (string | BoundValue)[]): SqlFragment {
  const parameters: BoundValue["value"][] = [];
  const placeholder = ({ value, type }: BoundValue) => {
    const name = `$${parameters.push(value)}`;
    // Without the cast the parameter would be a VARCHAR, which functions and operators of the type do not accept.
    return type ? `CAST(${name} AS ${type})` : name;
  };
  const text = parts.map((part) => (typeof part === "string" ? part : placeholder(part))).join("");
  return Object.defineProperty({ sql: text, parameters, "~parts": parts }, "~parts", { enumerable: false });
}

function literal({ value, type }: BoundValue): string {
  if (value === null) return "NULL";
  if (type === "TIMESTAMP") return `TIMESTAMP '${value}'`;
  const isNumber = typeof value === "number" || type !== undefined;
  // Parentheses: two minus signs would begin a comment.
  if (isNumber) return Object.is(value, -0) || Number(value) < 0 ? `(${value})` : String(value);
  if (typeof value === "boolean") return String(value);
  const quoted = `'${value.replaceAll("'", "''")}'`;
  // Some engines read a backslash as the start of an escape sequence, which would swallow the closing quote.
  return value.includes("\\") ? `(${quoted.replaceAll("\\", "' || chr(92) || '")})` : quoted;
}

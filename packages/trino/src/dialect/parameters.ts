import { exactNumberOf, isNegativeZero, type Parameters } from "@quern/query-run/record";
import { failure } from "../failure.ts";
import { type Sliced, sliceSize, tokensOf } from "./tokens.ts";

/** Statement in which each parameter is a `?`, the only form that Trino has. */
interface MarkedStatement {
  readonly text: string;
  /** Names of the parameters `$1` and `$name`, one for each `?`; empty for a statement that has only `?`. */
  readonly names: readonly string[];
}

/** Longest statement with its values. Trino's own limit, `query.max-length`, is a million characters by default. */
const maxCharacters = 10_000_000;
/** Names in an error message. */
const maxListed = 10;

/** Writes `?` for each parameter `$1` or `$name` of a statement. */
export function* withMarks(sql: string): Sliced<MarkedStatement> {
  if (!sql.includes("$")) return { text: sql, names: [] };
  const tokens = yield* tokensOf(sql);
  const names: string[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (index % sliceSize === 0 && index > 0) yield;
    const sign = tokens.at(index);
    const name = tokens.at(index + 1);
    if (sign?.word !== "$" || name === undefined || !/^\w/.test(name.text)) continue;
    if (name.end - name.text.length !== sign.end) continue;
    pieces.push(sql.slice(from, sign.end - 1));
    from = name.end;
    names.push(name.text);
  }
  return { text: [...pieces, sql.slice(from)].join("?"), names };
}

/**
 * Returns the statement that Trino executes for a statement with parameters.
 * @throws {StatementError} `ParameterError` if a value is missing or unknown, or the statement becomes too long. Trino
 *   itself counts the values of `?`.
 */
export function* boundStatement(sql: string, parameters: Parameters | null): Sliced<string> {
  const { text, names } = yield* withMarks(sql);
  const given = parameters ?? [];
  const literals = yield* literalsOf(isPositional(given) ? given : Object.values(given), sql.length);
  const values = names.length === 0 && isPositional(given) ? literals : namedValues(names, given, literals);
  if (values.length === 0) return sql;
  // A value that many parameters use is written for each of them, so the length is known before the text is made.
  const length = values.reduce((sum, value) => sum + value.length, text.length);
  if (length > maxCharacters)
    throw invalid(`the statement with its values has more than ${maxCharacters} characters; use shorter values`);
  return `EXECUTE IMMEDIATE ${textLiteral(text)} USING ${values.join(", ")}`;
}

/** Returns the literal of each value. */
function* literalsOf(values: readonly unknown[], maxValues: number): Sliced<readonly string[]> {
  if (values.length > maxValues) throw invalid(`the statement has not ${values.length} parameters`);
  const literals: string[] = [];
  for (const value of values) {
    literals.push(literal(value));
    if (literals.length % sliceSize === 0) yield;
  }
  return literals;
}

/** Returns the literal of each name. */
function namedValues(names: readonly string[], given: Parameters, literals: readonly string[]): readonly string[] {
  const keys = isPositional(given) ? given.map((_, index) => String(index + 1)) : Object.keys(given);
  const values = new Map(keys.map((key, index) => [key, literals[index] ?? "NULL"]));
  const used = new Set(names);
  const missing = [...used].filter((name) => !values.has(name));
  const unknown = keys.filter((name) => !used.has(name));
  if (missing.length > 0) throw invalid(`no value for ${listed(missing)}`);
  if (unknown.length > 0) throw invalid(`the statement has no parameter ${listed(unknown)}`);
  return names.map((name) => values.get(name) ?? "NULL");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).map((name) => `$${name}`);
  return [...shown, ...(names.length > maxListed ? [`${names.length - maxListed} more`] : [])].join(", ");
}

function invalid(reason: string): Error {
  return failure("ParameterError", "USER", `Invalid parameters: ${reason}.`);
}

function isPositional(parameters: Parameters): parameters is readonly unknown[] {
  return Array.isArray(parameters);
}

/**
 * Returns a JSON scalar as a literal: a safe integer as INTEGER or BIGINT, a number that a double cannot hold as BIGINT or
 * DECIMAL, any other number as DOUBLE.
 */
function literal(value: unknown): string {
  switch (typeof value) {
    case "string":
      return textLiteral(value);
    case "boolean":
      return String(value);
    case "number":
      return Number.isSafeInteger(value) ? String(value) : value.toExponential().toUpperCase();
    default: {
      const exact = exactNumberOf(value);
      if (exact === undefined) return "NULL";
      if (isNegativeZero(exact)) return "-0E0";
      const isBigint = !exact.includes(".") && BigInt.asIntN(64, BigInt(exact)) === BigInt(exact);
      return isBigint ? exact : `DECIMAL '${exact}'`;
    }
  }
}

/** Returns a string literal. Trino has no escapes in strings, except for the doubled quote. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

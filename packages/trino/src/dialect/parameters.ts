import type { Parameters } from "@quern/query-run/record";
import { failure } from "../failure.ts";
import { tokensOf } from "./tokens.ts";

/** Statement in which each parameter is a `?`, the only form that Trino has. */
interface MarkedStatement {
  readonly text: string;
  /** Names of the parameters `$1` and `$name`, one for each `?`; empty for a statement that has only `?`. */
  readonly names: readonly string[];
}

/** Writes `?` for each parameter `$1` or `$name` of a statement. */
export function withMarks(sql: string): MarkedStatement {
  const tokens = tokensOf(sql);
  const names: string[] = [];
  let text = "";
  let from = 0;
  for (const [index, { text: sign, end }] of tokens.entries()) {
    const name = tokens[index + 1];
    const isName = sign === "$" && name !== undefined && /^\w/.test(name.text) && name.end - name.text.length === end;
    if (!isName) continue;
    text += `${sql.slice(from, end - 1)}?`;
    from = name.end;
    names.push(name.text);
  }
  return { text: text + sql.slice(from), names };
}

/**
 * Returns the statement that Trino executes for a statement with parameters.
 * @throws {StatementError} `ParameterError` if a value is missing or unknown. Trino itself counts the values of `?`.
 */
export function boundStatement(sql: string, parameters: Parameters | null): string {
  const { text, names } = withMarks(sql);
  const given = parameters ?? [];
  const values = names.length === 0 && isPositional(given) ? given : namedValues(names, given);
  if (values.length === 0) return sql;
  return `EXECUTE IMMEDIATE ${textLiteral(text)} USING ${values.map(literal).join(", ")}`;
}

/** Returns the value of each name. */
function namedValues(names: readonly string[], given: Parameters): readonly unknown[] {
  const values = new Map<string, unknown>(
    isPositional(given) ? given.map((value, index) => [String(index + 1), value]) : Object.entries(given),
  );
  const missing = names.filter((name) => !values.has(name));
  const unknown = [...values.keys()].filter((name) => !names.includes(name));
  if (missing.length > 0) throw invalid(`no value for ${listed(missing)}`);
  if (unknown.length > 0) throw invalid(`the statement has no parameter ${listed(unknown)}`);
  return names.map((name) => values.get(name));
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `$${name}`).join(", ");
}

function invalid(reason: string): Error {
  return failure("ParameterError", "USER", `Invalid parameters: ${reason}.`);
}

function isPositional(parameters: Parameters): parameters is readonly unknown[] {
  return Array.isArray(parameters);
}

/** Returns a JSON scalar as a literal: a safe integer as INTEGER or BIGINT, any other number as DOUBLE. */
function literal(value: unknown): string {
  switch (typeof value) {
    case "string":
      return textLiteral(value);
    case "boolean":
      return String(value);
    case "number":
      return Number.isSafeInteger(value) ? String(value) : value.toExponential().toUpperCase();
    default:
      return "NULL";
  }
}

/** Returns a string literal. Trino has no escapes in strings, except for the doubled quote. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

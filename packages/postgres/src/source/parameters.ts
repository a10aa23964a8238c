import { type ParameterDescription, StatementError } from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import type { Token } from "./lexer.ts";

/** Statement of a caller, with other texts in place of its parameters and without a final semicolon. */
export interface ReplacedStatement {
  readonly text: string;
  /** Returns the offset in the statement of the caller for an offset in `text`; for one in a parameter, its start. */
  origin(offset: number): number;
}

/** Statement whose parameters are `$1`, `$2`, … */
export interface NumberedStatement extends ReplacedStatement {
  /** Names of the parameters: the first is that of `$1`. */
  readonly names: readonly string[];
  /** Returns the statement with a text in place of each parameter, by its name. */
  replaced(texts: ReadonlyMap<string, string>): ReplacedStatement;
}

/**
 * Numbers the parameters `$1` and `$name` of a statement, and `?` if it has no others and values are given by position.
 * Otherwise `?` is an operator, such as that of jsonb.
 */
export function numbered(sql: string, tokens: readonly Token[], given: Parameters | null): NumberedStatement {
  const end = tokens.at(-1)?.end ?? 0;
  const named = tokens.filter(({ kind }) => kind === "parameter");
  const marks = named.length === 0 && Array.isArray(given) && given.length > 0;
  const places = marks ? tokens.filter(({ kind, text }) => kind === "sign" && text === "?") : named;
  const nameAt = (token: Token, index: number): string => (marks ? String(index + 1) : token.text.slice(1));
  const found = [...new Set(places.map(nameAt))];
  const isPositional = found.every((name) => /^\d+$/.test(name));
  const count = Math.max(0, ...(isPositional ? found.map(Number) : []));
  const names = isPositional ? Array.from({ length: count }, (_, index) => String(index + 1)) : found;

  function replaced(texts: ReadonlyMap<string, string>): ReplacedStatement {
    let from = 0;
    let text = "";
    const pieces: { readonly start: number; readonly end: number; readonly token: Token }[] = [];
    for (const [index, token] of places.entries()) {
      text += sql.slice(from, token.start);
      const start = text.length;
      text += texts.get(nameAt(token, index)) ?? token.text;
      pieces.push({ start, end: text.length, token });
      from = token.end;
    }
    text += sql.slice(from, end);
    function origin(offset: number): number {
      const piece = pieces.findLast(({ start }) => start <= offset);
      if (piece === undefined) return offset;
      return offset < piece.end ? piece.token.start : piece.token.end + offset - piece.end;
    }
    return { text, origin };
  }

  return { ...replaced(new Map(names.map((name, index) => [name, `$${index + 1}`]))), names, replaced };
}

/**
 * Returns the literals of the values of a statement, by the name of the parameter.
 * @throws {StatementError} `ParameterError`, if a value is missing, unknown or has no literal
 */
export function literals(
  described: readonly ParameterDescription[],
  given: Parameters | null,
): ReadonlyMap<string, string> {
  const values = new Map<string, unknown>(
    Array.isArray(given) ? given.map((value, index) => [String(index + 1), value]) : Object.entries(given ?? {}),
  );
  const known = described.map(({ name }) => name);
  const missing = known.filter((name) => !values.has(name));
  const unknown = [...values.keys()].filter((name) => !known.includes(name));
  if (missing.length > 0) throw invalid(`no value for ${missing.map((name) => `$${name}`).join(", ")}`);
  if (unknown.length > 0)
    throw invalid(`the statement has no parameter ${unknown.map((name) => `$${name}`).join(", ")}`);
  return new Map(described.map(({ name, type }) => [name, literal(name, type ?? "text", values.get(name))]));
}

function literal(name: string, type: string, value: unknown): string {
  if (value === null) return `CAST(NULL AS ${type})`;
  if (typeof value === "object" && !/^jsonb?$/.test(type))
    throw invalid(`$${name} is an array or object, but its type is ${type}; pass a text, or cast it: $${name}::jsonb`);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (text.includes("\0")) throw invalid(`$${name} has a NUL character, which PostgreSQL cannot store`);
  // Standard-conforming strings have no other escapes.
  return `CAST('${text.replaceAll("'", "''")}' AS ${type})`;
}

function invalid(reason: string): StatementError {
  return new StatementError({
    name: "ParameterError",
    message: `Invalid parameters: ${reason}.`,
    data: { category: "USER", engine: "postgres", retryable: false },
  });
}

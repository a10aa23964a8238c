import { type ParameterDescription, StatementError } from "@quern/adapter";
import { exactNumberOf, isNegativeZero, type Parameters } from "@quern/query-run/record";
import type { AdmittedStatement } from "./gate.ts";

/** Statement whose parameters are `$1`, `$2`, …, without a final semicolon. */
export interface NumberedStatement {
  readonly text: string;
  /** Names of the parameters: the first is that of `$1`. */
  readonly names: readonly string[];
  /** Returns the offset in the statement of the caller for an offset in `text`; for one in a parameter, its start. */
  origin(offset: number): number;
}

/** PostgreSQL counts parameters in 16 bits. */
const maxParameters = 65_535;

/**
 * Numbers the parameters `$1` and `$name` of a statement, and `?` if it has no others and values are given by position.
 * Otherwise `?` is an operator, such as that of jsonb.
 * @throws {StatementError} `ParameterError`, if there are more than PostgreSQL can count
 */
export function numbered(
  { sql, start: begin, end, named, marks }: AdmittedStatement,
  given: Parameters | null,
): NumberedStatement {
  const areMarks = named.length === 0 && Array.isArray(given) && given.length > 0;
  const count = (areMarks ? marks : named).length;
  if (count > maxParameters) throw tooMany(`${count} parameters`);
  const spans = areMarks ? marks.map((start) => ({ start, end: start + 1 })) : named;
  const written = spans.map((span) => sql.slice(span.start + 1, span.end));
  if (!areMarks && written.every((name) => /^\d+$/.test(name))) {
    const largest = written.reduce((previous, name) => Math.max(previous, Number(name)), 0);
    if (largest > maxParameters) throw tooMany(`the parameter $${largest}`);
    const names = Array.from({ length: largest }, (_, index) => String(index + 1));
    return { text: sql.slice(begin, end), names, origin: (offset) => begin + offset };
  }
  const names = areMarks ? written.map((_, index) => String(index + 1)) : [...new Set(written)];
  const numbers = new Map(names.map((name, index) => [name, index + 1]));
  const pieces = spans.map(({ start }, index) => {
    // Spaces, because `?` can touch a name or a $, with which the number would be another token.
    const parameter = areMarks ? ` $${index + 1} ` : `$${numbers.get(written[index] ?? "")}`;
    return `${sql.slice(spans[index - 1]?.end ?? begin, start)}${parameter}`;
  });

  function origin(offset: number): number {
    let from = 0;
    for (const [index, { start, end: after }] of spans.entries()) {
      const length = pieces[index]?.length ?? 0;
      const before = start - (spans[index - 1]?.end ?? begin);
      if (offset < from + before) return start - before + offset - from;
      if (offset < from + length) return start;
      from += length;
      if (index === spans.length - 1) return after + offset - from;
    }
    return begin + offset;
  }
  return { text: `${pieces.join("")}${sql.slice(spans.at(-1)?.end ?? begin, end)}`, names, origin };
}

function tooMany(what: string): StatementError {
  return invalid(`the statement has ${what}, and PostgreSQL can count ${maxParameters}; use fewer`);
}

/**
 * Returns the texts of the values of a statement, in the order of its parameters.
 * @throws {StatementError} `ParameterError`, if a value is missing, unknown or has no text
 */
export function boundValues(
  described: readonly ParameterDescription[],
  given: Parameters | null,
): readonly (string | null)[] {
  const values = new Map<string, unknown>(
    Array.isArray(given) ? given.map((value, index) => [String(index + 1), value]) : Object.entries(given ?? {}),
  );
  const known = new Set(described.map(({ name }) => name));
  const missing = [...known].filter((name) => !values.has(name));
  const unknown = [...values.keys()].filter((name) => !known.has(name));
  if (missing.length > 0) throw invalid(`no value for ${listed(missing)}`);
  if (unknown.length > 0) throw invalid(`the statement has no parameter ${listed(unknown)}`);
  return described.map(({ name, type }) => boundValue(name, type ?? "text", values.get(name)));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `$${name}`);
  return [...shown, ...(names.length > shown.length ? ["…"] : [])].join(", ");
}

function boundValue(name: string, type: string, value: unknown): string | null {
  if (value === null) return null;
  const exact = exactNumberOf(value);
  // PostgreSQL reads -0 as any number, and -0.0 not as an integer.
  if (exact !== undefined) return isNegativeZero(exact) ? "-0" : exact;
  if (typeof value === "object" && !/^jsonb?$/.test(type))
    throw invalid(`$${name} is an array or object, but its type is ${type}; pass a text, or cast it: $${name}::jsonb`);
  const given = typeof value === "object" ? JSON.stringify(value) : String(value);
  const text = /^(date|timestamp)/.test(type) ? writtenDate(given) : given;
  if (text.includes("\0")) throw invalid(`$${name} has a NUL character, which PostgreSQL cannot store`);
  return text;
}

/** Returns a date with a year of six or seven digits or 0000, as a page shows it, as PostgreSQL reads it. */
function writtenDate(text: string): string {
  const [, digits, rest] = /^([+-]\d{6,7}|0000)(-\d\d-\d\d.*)$/s.exec(text) ?? [];
  if (digits === undefined) return text;
  const year = Number(digits);
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`;
}

function invalid(reason: string): StatementError {
  return new StatementError({
    name: "ParameterError",
    message: `Invalid parameters: ${reason}.`,
    data: { category: "USER", engine: "postgres", retryable: false },
  });
}

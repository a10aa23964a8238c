import type { DuckDBPreparedStatement } from "@duckdb/node-api";
import { type ParameterDescription, StatementError } from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import { decimalValue, type EngineValue, engineValue } from "../engine/engine-value.ts";
import type { EngineValues } from "./run-text.ts";

/**
 * Returns the parameters that a statement expects, in its order. Positional parameters are named "1", "2", …
 * @throws {StatementError} `ParameterError` if a number is missing, such as that of `$1` in `select $2`
 */
export function describeParameters(prepared: DuckDBPreparedStatement): ParameterDescription[] {
  return Array.from({ length: prepared.parameterCount }, (_, index) => ({
    name: parameterName(prepared, index + 1),
    type: parameterType(prepared, index + 1),
  }));
}

/**
 * Compares the parameters of a run with those of its statement. The engine's own message does not name the difference.
 * @throws {StatementError} `ParameterError`, with the names of missing and unknown parameters
 */
export function checkParameters(prepared: DuckDBPreparedStatement, parameters: Parameters | null): void {
  const expected = describeParameters(prepared).map(({ name }) => name);
  const given = parameters === null ? [] : parameterNames(parameters);
  const missing = expected.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !expected.includes(name));
  if (missing.length === 0 && unknown.length === 0) return;
  const problems = [
    ...(missing.length === 0 ? [] : [`no value for ${list(missing)}`]),
    ...(unknown.length === 0 ? [] : [`the statement has no parameter ${list(unknown)}`]),
  ];
  throw parameterError(`Invalid parameters: ${problems.join("; ")}.`);
}

export function parameterError(message: string): StatementError {
  const data = { category: "USER", engine: "duckdb", retryable: false } as const;
  return new StatementError({ name: "ParameterError", message, data });
}

/** Returns null for each parameter, which is enough for the engine to determine the columns of a statement. */
export function nullParameters(prepared: DuckDBPreparedStatement): Parameters {
  const names = describeParameters(prepared).map(({ name }) => name);
  const isPositional = names.every((name) => /^\d+$/.test(name));
  return isPositional ? names.map(() => null) : Object.fromEntries(names.map((name) => [name, null]));
}

/** Converts the parameters of a run to values and types that the engine binds. */
export function engineValues(parameters: Parameters, prepared: DuckDBPreparedStatement): EngineValues {
  const isOf = (name: string, types: RegExp): boolean =>
    types.test(describeParameters(prepared).find((each) => each.name === name)?.type ?? "");
  const bind = (name: string, value: unknown): EngineValue => {
    if (typeof value === "string" && signedYear.test(value) && isOf(name, /^(?:DATE|TIMESTAMP)/))
      return engineValue(value.slice(1));
    const isDouble = typeof value === "number" && !Number.isSafeInteger(value);
    return (isDouble && isOf(name, /^DECIMAL/) ? decimalValue(value) : undefined) ?? engineValue(value);
  };
  if (Array.isArray(parameters)) {
    const bound = parameters.map((value, index) => bind(String(index + 1), value));
    return { values: bound.map(({ value }) => value), types: bound.map(({ type }) => type) };
  }
  const bound = Object.entries(parameters).map(([name, value]) => [name, bind(name, value)] as const);
  return {
    values: Object.fromEntries(bound.map(([name, { value }]) => [name, value])),
    types: Object.fromEntries(bound.map(([name, { type }]) => [name, type])),
  };
}

/** Matches a date in a year above 9999 as a page shows it. The engine does not know the sign. */
const signedYear = /^\+\d{5,7}-/;

function parameterNames(parameters: Parameters): string[] {
  return Array.isArray(parameters) ? parameters.map((_, index) => String(index + 1)) : Object.keys(parameters);
}

function list(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join(", ");
}

function parameterName(prepared: DuckDBPreparedStatement, index: number): string {
  try {
    return prepared.parameterName(index);
  } catch {
    // The engine counts the parameters, but has none of this number.
    throw parameterError(`Missing parameter $${index} in the statement; number its parameters from $1 without a gap.`);
  }
}

function parameterType(prepared: DuckDBPreparedStatement, index: number): string | null {
  try {
    const name = String(prepared.parameterType(index));
    return name === "ANY" ? null : name;
  } catch {
    return null; // the engine does not know the type before a value is bound
  }
}

import { nearestWord } from "@quern/protocol/nearest-word";
import { exactNumberOf, isNegativeZero, type Parameters } from "@quern/query-run/record";
import { failure } from "../failure.ts";
import { nameOf, piecesPerSlice, shown, type Tokens } from "./tokens.ts";

/** Parameter `{name:Type}` of a statement. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  /** Offset of the first character after it. */
  readonly end: number;
}

/** Returns the parameters of a statement, in their order. A name can occur several times. Yields between slices. */
export function* parametersOf(sql: string, tokens: Tokens, length: number): Generator<void, readonly Parameter[]> {
  const parameters: Parameter[] = [];
  let open = -1;
  for (let at = 0; at < length; at += 1) {
    if (at > 0 && at % piecesPerSlice === 0) yield;
    const text = tokens.text(at);
    if (text === "{" && tokens.text(at + 2) === ":" && /^[A-Za-z_]/.test(tokens.text(at + 1))) open = at;
    if (text !== "}" || open < 0) continue;
    if (at > open + 3) {
      const type = sql.slice(tokens.start(open + 3), tokens.end(at - 1));
      parameters.push({ name: tokens.text(open + 1), type, start: tokens.start(open), end: tokens.end(at) });
    }
    open = -1;
  }
  return parameters;
}

/**
 * Checks the values of the parameters, and returns them by name. ClickHouse itself converts each to its type.
 * @throws {StatementError} `ParameterError` for a missing or unknown one, and for values without names
 */
export function boundParameters(
  parameters: readonly Parameter[],
  given: Parameters | null,
): Readonly<Record<string, unknown>> {
  if (Array.isArray(given) && given.length > 0)
    throw invalid("ClickHouse has none by position; write {name:Type} for each, and pass an object");
  const values = new Map(Object.entries(given ?? {}).map(([name, value]) => [name, numberText(value) ?? value]));
  const names = new Set(parameters.map(({ name }) => name));
  for (const name of names) if (!values.has(name)) throw invalid(`${shown(name)} has no value; pass one`);
  for (const name of values.keys()) {
    if (names.has(name)) continue;
    // The comparison takes time and memory by the product of the lengths.
    const nearest = nearestWord(
      name.slice(0, 64),
      [...names].slice(0, 100).filter(({ length }) => length <= 64),
    );
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    throw invalid(`the statement has no {${shown(name)}:Type}${hint}`);
  }
  for (const { name, type } of parameters) checkRange(name, type, values.get(name));
  return Object.fromEntries(values);
}

/** Refuses a day that a type cannot hold: ClickHouse takes the nearest one. */
function checkRange(name: string, type: string, value: unknown): void {
  const [, isTime = ""] = /^(?:Nullable\()?Date(Time)?(?:\('[^']*'\))?\)?$/.exec(type.replaceAll(/\s/g, "")) ?? [
    "",
    null,
  ];
  if (isTime === null || typeof value !== "string" || !/^\d{4}-\d\d-\d\d/.test(value)) return;
  const last = isTime === "" ? "2149-06-06" : "2106-02-07";
  const day = value.slice(0, 10);
  if (day < "1970-01-01" || day > last)
    throw invalid(
      `${shown(name)} is outside of ${shown(type)}, from 1970-01-01 to ${last}: ${day}; use Date32 or DateTime64`,
    );
}

/** Returns the statement with a value of the type of each parameter, so that it can be analyzed without values. */
export function withSampleValues(sql: string, parameters: readonly Parameter[]): string {
  let text = "";
  let from = 0;
  for (const { type, start, end } of parameters) {
    text += `${sql.slice(from, start)}defaultValueOfTypeName(${textLiteral(type)})`;
    from = end;
  }
  return text + sql.slice(from);
}

/** Returns true for a parameter whose value is a name, so that the gate cannot check it. */
export function isIdentifier({ type }: Parameter): boolean {
  return nameOf(type) === "identifier";
}

/** Returns a string literal. */
function textLiteral(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function invalid(reason: string): Error {
  return failure("ParameterError", "USER", `Invalid parameters: ${reason}.`);
}

/** Returns the text of a number that a double cannot hold. ClickHouse reads -0 as any number, and -0.0 not as an integer. */
function numberText(value: unknown): string | undefined {
  const exact = exactNumberOf(value);
  return exact !== undefined && isNegativeZero(exact) ? "-0" : exact;
}

import { nearestWord } from "@quern/protocol/nearest-word";
import type { Parameters } from "@quern/query-run/record";
import { failure } from "../failure.ts";
import { isOneOf, nameOf, type Token } from "./tokens.ts";

/** Parameter `{name:Type}` of a statement. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  /** Offset of the first character after it. */
  readonly end: number;
}

/** Returns the parameters of a statement, in their order. A name can occur several times. */
export function parametersOf(sql: string, tokens: readonly Token[]): readonly Parameter[] {
  const parameters: Parameter[] = [];
  for (const [index, token] of tokens.entries()) {
    const [name, colon] = tokens.slice(index + 1, index + 3);
    if (!isOneOf(token, "{") || !isOneOf(colon, ":") || !/^[A-Za-z_]/.test(name?.text ?? "")) continue;
    const rest = tokens.slice(index + 3);
    const close = rest.findIndex((each) => isOneOf(each, "}"));
    const [first, last] = [rest[0], rest[close - 1]];
    if (name === undefined || first === undefined || last === undefined) continue;
    const type = sql.slice(first.start, last.end);
    parameters.push({ name: name.text, type, start: token.start, end: rest[close]?.end ?? last.end });
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
  const values = new Map(Object.entries(given ?? {}));
  const names = new Set(parameters.map(({ name }) => name));
  for (const name of names) if (!values.has(name)) throw invalid(`${name} has no value; pass one`);
  for (const name of values.keys()) {
    if (names.has(name)) continue;
    const nearest = nearestWord(name, [...names]);
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    throw invalid(`the statement has no {${name}:Type}${hint}`);
  }
  return Object.fromEntries(values);
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
  return nameOf({ text: type, start: 0, end: 0 }) === "identifier";
}

/** Returns a string literal. */
function textLiteral(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function invalid(reason: string): Error {
  return failure("ParameterError", "USER", `Invalid parameters: ${reason}.`);
}

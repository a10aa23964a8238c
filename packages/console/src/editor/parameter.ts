import type { Parameters, Scalar } from "@quern/client";
import type { Dialect } from "./dialect.ts";
import { type SqlToken, tokensOf } from "./sql-scanner.ts";

export const PARAMETER_TYPES = ["text", "number", "boolean", "date", "timestamp", "null"] as const;

/** Value of a parameter as the user has typed it. */
export interface ParameterField {
  readonly text: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
}

/** Values of the parameters of a tab, by their names: `name` for `$name`, `1` for `$1`, `?1` for the first `?`. */
export type ParameterFields = Readonly<Record<string, ParameterField>>;

export const EMPTY_FIELD: ParameterField = { text: "", type: "text" };

/** Returns a parameter as the page shows it. */
export const labelOf = (name: string): string => (name.startsWith("?") ? name : `$${name}`);

/**
 * Returns the names of the parameters of a statement, in the order of their first use. As for the service, `?` is a
 * parameter only if the statement has no other. ClickHouse has `{name:Type}` instead.
 */
export function parameterNamesOf(sql: string, dialect: Dialect): readonly string[] {
  if (dialect === "clickhouse") return clickHouseNamesOf(sql);
  const tokens = [...tokensOf(sql)].filter(({ kind, from, to }) => kind !== "comment" && sql.slice(from, to).trim());
  const names = new Set(
    tokens.filter(({ kind }) => kind === "parameter").map(({ from, to }) => sql.slice(from + 1, to)),
  );
  if (names.size > 0) return [...names];
  const marks = tokens.filter(({ kind }, index) => kind === "mark" && !isOperator(sql, tokens, index));
  return marks.map((_, index) => `?${index + 1}`);
}

/** PostgreSQL has the operators `?`, `?|` and `?&`; what follows them is an expression. */
function isOperator(sql: string, tokens: readonly SqlToken[], index: number): boolean {
  const [mark, next] = tokens.slice(index, index + 2);
  if (mark === undefined || next === undefined) return false;
  const rest = sql.slice(mark.to, mark.to + 2);
  if (rest !== "||" && /^[|&]/.test(rest)) return true;
  return next.kind === "string" || next.kind === "quoted" || next.kind === "parameter" || sql[next.from] === "(";
}

function clickHouseNamesOf(sql: string): readonly string[] {
  const isText: readonly string[] = ["comment", "string", "quoted"];
  const code = [...tokensOf(sql)]
    .map(({ kind, from, to }) => (isText.includes(kind) ? " " : sql.slice(from, to)))
    .join("");
  return [...new Set([...code.matchAll(/\{\s*([A-Za-z_]\w*)\s*:[^{}]+\}/g)].map(([, name = ""]) => name))];
}

/** Returns the names of the parameters of several statements: the numbered ones in the order of their numbers. */
export function allNamesOf(statements: readonly { readonly sql: string }[], dialect: Dialect): readonly string[] {
  const names = [...new Set(statements.flatMap(({ sql }) => parameterNamesOf(sql, dialect)))];
  const position = (name: string) => Number(name.replace("?", ""));
  return names.toSorted((a, b) => (position(a) > position(b) ? 1 : position(a) < position(b) ? -1 : 0));
}

/** Returns why a field has no value; undefined if it has one. */
export function faultOf({ text, type }: ParameterField): string | undefined {
  if (type === "number" && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return "Enter a number.";
  if (type === "boolean" && !/^(true|false)$/i.test(text.trim())) return "Enter true or false.";
  if (type === "date" && !DAY.test(text)) return "Enter a date.";
  if (type === "timestamp" && !TIME.test(text)) return "Enter a date and a time.";
  return undefined;
}

/** Days and times as the fields of browsers have them. */
const DAY = /^\d{4,6}-\d\d-\d\d$/;
const TIME = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Returns the field of another type. A text that a browser's field of the type cannot show is dropped. */
export function withType({ text }: ParameterField, type: ParameterField["type"]): ParameterField {
  const field = { text, type };
  const isDay = type === "date" || type === "timestamp";
  return isDay && faultOf(field) !== undefined ? { text: "", type } : field;
}

/** Returns the values for a statement, by position for `?` and `$1`; undefined if it has no parameters. */
export function valuesOf(names: readonly string[], fields: ParameterFields): Parameters | undefined {
  if (names.length === 0) return undefined;
  const boundTo = (name: string) => scalarOf(fields[name] ?? EMPTY_FIELD);
  if (!names.every((name) => /^\??\d+$/.test(name)))
    return Object.fromEntries(names.map((name) => [name, boundTo(name)]));
  const prefix = names[0]?.startsWith("?") ? "?" : "";
  const count = Math.max(...names.map((name) => Number(name.slice(prefix.length))));
  return Array.from({ length: count }, (_, index) => boundTo(`${prefix}${index + 1}`));
}

function scalarOf({ text, type }: ParameterField): Scalar {
  switch (type) {
    case "null":
      return null;
    case "boolean":
      return text.trim().toLowerCase() === "true";
    case "number":
      return numberOf(text.trim().replace(/^\+/, ""));
    case "timestamp":
      return text.replace("T", " ");
    default:
      return text;
  }
}

// TypeScript's library does not declare `JSON.rawJSON` yet, and older browsers lack it.
const { rawJSON } = JSON as JSON & { rawJSON?: (text: string) => number };

/** Matches a number of JSON with at most as many digits as the service binds. */
const JSON_NUMBER = /^(?=(?:\D*\d){1,38}\D*$)-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Returns a number whose digits JSON keeps. */
function numberOf(text: string): Scalar {
  const number = Number(text);
  if (String(number) === text || !JSON_NUMBER.test(text)) return number;
  if (rawJSON !== undefined) return rawJSON(text);
  // The engine casts the text; a JavaScript number would lose digits.
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

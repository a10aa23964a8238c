import type { Scalar } from "@quern/client";
import { tokensOf } from "./sql-scanner.ts";

export const PARAMETER_TYPES = ["text", "number", "boolean", "null"] as const;

/** Value of a parameter as the user has typed it. */
export interface ParameterField {
  readonly text: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
}

/** Values of the parameters of a tab, by their names without `$`. */
export type ParameterFields = Readonly<Record<string, ParameterField>>;

export const EMPTY_FIELD: ParameterField = { text: "", type: "text" };

/** Returns the names of the parameters `$name` of a statement, in the order of their first use. */
export function parameterNamesOf(sql: string): readonly string[] {
  const names = new Set<string>();
  for (const { kind, from, to } of tokensOf(sql)) if (kind === "parameter") names.add(sql.slice(from + 1, to));
  return [...names];
}

/** Returns why a field has no value; undefined if it has one. */
export function faultOf({ text, type }: ParameterField): string | undefined {
  if (type === "number" && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return "Enter a number.";
  if (type === "boolean" && !/^(true|false)$/i.test(text.trim())) return "Enter true or false.";
  return undefined;
}

/** Returns the values for a statement. */
export function valuesOf(names: readonly string[], fields: ParameterFields): Readonly<Record<string, Scalar>> {
  return Object.fromEntries(names.map((name) => [name, scalarOf(fields[name] ?? EMPTY_FIELD)]));
}

function scalarOf({ text, type }: ParameterField): Scalar {
  if (type === "null") return null;
  if (type === "boolean") return text.trim().toLowerCase() === "true";
  if (type === "text") return text;
  const number = Number(text);
  // The engine casts the text; a JavaScript number would lose digits.
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text.trim() : number;
}

import { isStringArray } from "../../../generator/src/json.ts";
import { type View, valueAt } from "./view.ts";

/** Types of values. A number is an integer or a fraction, so that `integer` is a part of `number`. */
const everyType = ["null", "boolean", "object", "array", "string", "integer", "fraction"] as const;
export type ValueType = (typeof everyType)[number];

function typeOf(value: unknown): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "string" ? "string" : "object";
}

/** Returns the types that the keyword `type` allows: all without it. */
function declaredTypes(view: View): Set<ValueType> {
  const declared = valueAt(view, "type");
  if (declared === undefined) return new Set(everyType);
  const names = isStringArray(declared) ? declared : [String(declared)];
  return new Set(everyType.filter((type) => names.includes(type) || (isNumeric(type) && names.includes("number"))));
}

const isNumeric = (type: ValueType) => type === "integer" || type === "fraction";

/** Returns the values that `enum` and `const` allow and that have a declared type; undefined without both keywords. */
export function listedValues(view: View): readonly unknown[] | undefined {
  const list = valueAt(view, "enum");
  const values = view.keywords.has("const") ? [valueAt(view, "const")] : Array.isArray(list) ? list : undefined;
  const types = declaredTypes(view);
  return values?.filter((value) => types.has(typeOf(value)));
}

/** Returns the types that values of a schema can have. */
export function typesOf(view: View): Set<ValueType> {
  const values = listedValues(view);
  return values === undefined ? declaredTypes(view) : new Set(values.map(typeOf));
}

/** Returns the names of types as a schema writes them. */
export function typeText(types: ReadonlySet<ValueType>): string {
  if (types.size === everyType.length) return "any";
  const numbers = types.has("fraction") ? "number" : "integer";
  return [...new Set([...types].map((type) => (isNumeric(type) ? numbers : type)))].join(" or ") || "nothing";
}

export function isWithin(some: ReadonlySet<ValueType>, all: ReadonlySet<ValueType>): boolean {
  return [...some].every((type) => all.has(type));
}

import type { SchemaTable, TypeName } from "./schema-table.ts";

const typeWords: Readonly<Record<TypeName, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

/** Joins words as `a`, `a or b`, `a, b or c`; repeated words are dropped. */
export function orList(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  const last = distinct.pop() ?? "nothing";
  return distinct.length === 0 ? last : `${distinct.join(", ")} or ${last}`;
}

/** Returns the types of a schema in words. */
export function typeNames(type: TypeName | readonly TypeName[]): string {
  return typeof type === "string" ? typeWords[type] : orList(type.map((name) => typeWords[name]));
}

/** Describes the values that a schema accepts in a few words, without their members, for the `expected` of an issue. */
export function describeSchema(table: SchemaTable): string {
  if (table.const !== undefined) return JSON.stringify(table.const);
  if (table.enum !== undefined) return orList(table.enum.map((value) => JSON.stringify(value)));
  if (table.type !== undefined) return typeNames(table.type);
  if (table.anyOf === undefined) return "a value";
  return orList(table.anyOf.map((branch) => describeSchema("ref" in branch ? branch.ref() : branch)));
}

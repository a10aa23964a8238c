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

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  const last = distinct.pop() ?? "nothing";
  return distinct.length === 0 ? last : `${distinct.join(", ")} or ${last}`;
}

export function types(type: TypeName | readonly TypeName[]): string {
  return typeof type === "string" ? typeWords[type] : either(type.map((name) => typeWords[name]));
}

/** What a table asks for at its own place, in a few words: the `expected` of a missing member. */
export function expectation(table: SchemaTable): string {
  if (table.const !== undefined) return JSON.stringify(table.const);
  if (table.enum !== undefined) return either(table.enum.map((value) => JSON.stringify(value)));
  if (table.type !== undefined) return types(table.type);
  if (table.anyOf === undefined) return "a value";
  return either(table.anyOf.map((branch) => expectation("ref" in branch ? branch.ref() : branch)));
}

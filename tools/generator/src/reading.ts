import type { Faults } from "./faults.ts";
import type { SchemaNode } from "./model.ts";

/** Section of `components` into which a `$ref` may point. */
export type Section = "schemas" | "errors" | "tags";

/** State that the readers of one document share. */
export interface Reading {
  readonly faults: Faults;
  /**
   * Returns the name that a `$ref` refers to. Returns undefined, and reports the fault, if the section has no such
   * name.
   */
  reference(reference: unknown, section: Section, pointer: string): string | undefined;
  /** Returns true for a `$ref` that closes a cycle of references only, and so describes no value. */
  isEndless(pointer: string): boolean;
  /** Returns the name of the schema at the pointer. An inline schema becomes a type named `fallback`, with its pointer if the name is in use. */
  nameSchema(schema: unknown, pointer: string, fallback: string): string;
}

/** Returns a schema that allows any value. It also replaces a faulty schema, so that the rest can be read. */
export function anySchema(pointer: string): SchemaNode {
  return { pointer, deprecated: false, examples: [], types: [], properties: [], limits: {} };
}

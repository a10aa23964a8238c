import type { Faults } from "./faults.ts";
import type { SchemaNode } from "./model.ts";

/** A part of `components` that others refer to by name. */
export type Section = "schemas" | "errors" | "tags";

/** State that the readers of one document share. */
export interface Reading {
  readonly faults: Faults;
  /** The name that a `$ref` leads to; undefined, and reported, where the section has no such name. */
  reference(reference: unknown, section: Section, pointer: string): string | undefined;
  /** True for a `$ref` that closes a cycle of references alone, and so describes no value. */
  isEndless(pointer: string): boolean;
  /** The name of the schema at the pointer; a schema written in place becomes a type named by `fallback`. */
  nameSchema(schema: unknown, pointer: string, fallback: string): string;
}

/** A schema that allows anything: stands where a faulty one is, so that the rest can be read. */
export function anySchema(pointer: string): SchemaNode {
  return { pointer, deprecated: false, examples: [], types: [], properties: [], limits: {} };
}

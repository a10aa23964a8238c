/**
 * Collects the schemas that become named types: the components, and those that methods and errors spell out in place.
 */
export interface SchemaNames {
  /** The name of the schema at the pointer; a schema written in place is named by `fallback`. */
  name(schema: unknown, pointer: string, fallback: string): string;
}

import type { Schema } from "@quern/json-rpc/envelope";
import { issueFinder } from "./checker.ts";
import type { SchemaNode } from "./schema-table.ts";

export type { SchemaNode, SchemaTable, TableReference, TypeName } from "./schema-table.ts";
export { schemaKeywords } from "./schema-table.ts";

/**
 * Makes a Standard Schema that interprets a schema table. It returns the value itself, without defaults, or at most 20
 * issues.
 * @see https://json-schema.org/draft-07
 */
export function validator<T>(node: SchemaNode): Schema<T> {
  const issuesIn = issueFinder(node);
  return {
    "~standard": {
      version: 1,
      vendor: "quern",
      validate(value) {
        const issues = issuesIn(value);
        // The generator has made the type T from the same schema.
        return issues.length === 0 ? { value: value as T } : { issues };
      },
    },
  };
}

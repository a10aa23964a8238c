import type { Source } from "@quern/adapter";

/** Returns columns under the names that callers of the source see. */
export function columnsShown<Column extends { readonly name: string }>(
  { lowerCaseColumns }: Source,
  columns: readonly Column[],
): readonly Column[] {
  return lowerCaseColumns ? columns.map((column) => ({ ...column, name: column.name.toLowerCase() })) : columns;
}

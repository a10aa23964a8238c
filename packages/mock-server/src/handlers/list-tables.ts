import type { ListTablesParams, ListTablesResult } from "@quern/protocol/types";
import { defaults } from "../generated/defaults.ts";

/** Answers with the tables of the first example that have the text of a search in their names or those of their columns. */
export async function listTables({ search = "" }: ListTablesParams): Promise<ListTablesResult> {
  const text = search.toLowerCase();
  const tables = defaults.listTables.tables.filter(({ catalog, schema, name, columns }) =>
    [text.includes(".") ? `${catalog}.${schema}.${name}` : name, ...columns.map((column) => column.name)].some((each) =>
      each.toLowerCase().includes(text),
    ),
  );
  return { tables, nextCursor: null };
}

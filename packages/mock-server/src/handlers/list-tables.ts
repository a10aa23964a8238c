import { defaults } from "../generated/defaults.ts";
import type { MethodHandlers } from "../generated/handlers.ts";
import type { Context } from "./lookup.ts";

/** Answers with the tables of the first example that have the text of a search in their names or those of their columns. */
export const listTables: MethodHandlers<Context>["listTables"] = async ({ search = "" }) => {
  const text = search.toLowerCase();
  const tables = defaults.listTables.tables.filter(({ catalog, schema, name, columns }) =>
    [text.includes(".") ? `${catalog}.${schema}.${name}` : name, ...columns.map((column) => column.name)].some((each) =>
      each.toLowerCase().includes(text),
    ),
  );
  return { tables, nextCursor: null };
};

import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { functionsNotAllowed, refusedNameIn, viewsNotAllowed } from "./refused-names.ts";

/** Views and macros of a source. */
export interface SourceObjects {
  /**
   * Names of those whose bodies use a function or view that no statement may use, in lower case. They would let a
   * statement call that function with its own arguments.
   */
  readonly refused: ReadonlySet<string>;
  /** Names of the other table macros, in lower case. */
  readonly tableMacros: ReadonlySet<string>;
  /** True if one of them may call `current_query`. */
  readonly usesCurrentQuery: boolean;
}

export const noObjects: SourceObjects = { refused: new Set(), tableMacros: new Set(), usesCurrentQuery: false };

/** Selects the objects of the attached databases. Macros of a connection itself are in the catalog `temp`. */
const objectsQuery = `
  SELECT view_name, 'view', sql FROM system.main.duckdb_views() WHERE NOT internal
  UNION ALL SELECT function_name, function_type, macro_definition FROM system.main.duckdb_functions()
  WHERE NOT internal AND database_name <> 'temp' AND macro_definition IS NOT NULL`;

/** Reads the objects on a connection of its own, because the engine creates objects on it to list them. */
export async function readSourceObjects(instance: DuckDBInstance): Promise<SourceObjects> {
  const connection = await instance.connect();
  try {
    return await objectsOn(connection);
  } finally {
    connection.closeSync();
  }
}

async function objectsOn(connection: DuckDBConnection): Promise<SourceObjects> {
  const rows = (await connection.runAndReadAll(objectsQuery)).getRows();
  if (rows.length === 0) return noObjects;
  const objects = rows.map(([name, type, body]) => ({ name: String(name).toLowerCase(), type, body: String(body) }));
  const functions = await functionsNotAllowed(connection);
  const views = await viewsNotAllowed(connection);
  const refused = new Set<string>();
  // A body can use an object that is refused because of another one.
  for (let before = -1; before !== refused.size; ) {
    before = refused.size;
    for (const { name, body } of objects)
      if (refusedNameIn(body, functions, [...views, ...[...refused].filter((each) => each !== name)]) !== undefined)
        refused.add(name);
  }
  const tableMacros = objects.filter(({ name, type }) => type === "table_macro" && !refused.has(name));
  return {
    refused,
    tableMacros: new Set(tableMacros.map(({ name }) => name)),
    usesCurrentQuery: objects.some(({ body }) => /current_query/i.test(body)),
  };
}

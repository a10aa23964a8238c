import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { isRefused, type NameUse, namesIn, refusedNameIn } from "./name-check.ts";
import { syntaxTrees } from "./syntax-tree.ts";

/** Names of the views and macros of a source, in lower case. */
export interface SourceObjects {
  /**
   * Views and macros whose bodies use a function or view that no statement may use. They would let a statement call that
   * function with its own arguments.
   */
  readonly refused: ReadonlySet<string>;
  readonly macros: ReadonlySet<string>;
  readonly tableMacros: ReadonlySet<string>;
  /** True if one of them may call `current_query`. */
  readonly usesCurrentQuery: boolean;
}

interface SourceObject {
  readonly name: string;
  readonly type: "view" | "macro" | "table_macro";
  /** Query that the object stands for. */
  readonly body: string;
}

export const noObjects: SourceObjects = {
  refused: new Set(),
  macros: new Set(),
  tableMacros: new Set(),
  usesCurrentQuery: false,
};

/** Selects the objects of the attached databases. Macros of a connection itself are in the catalog `temp`. */
const objectsQuery = `
  SELECT view_name, 'view', sql FROM system.main.duckdb_views() WHERE NOT internal
  UNION ALL SELECT function_name, function_type, macro_definition FROM system.main.duckdb_functions()
  WHERE NOT internal AND database_name <> 'temp' AND macro_definition IS NOT NULL`;

/** Text of the engine before the query of a view: a name with its schema, perhaps with the names of the columns. */
const beforeQuery = /^CREATE VIEW (?:"(?:[^"]|"")*"|[^\s"(])+(?: ?\((?:"(?:[^"]|"")*"|[^")])*\))? AS /;

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
  const objects = rows.map(([name, type, text]): SourceObject => {
    const kind = type === "view" || type === "table_macro" ? type : "macro";
    const written = String(text);
    const body = { view: written.replace(beforeQuery, ""), macro: `SELECT ${written}`, table_macro: written }[kind];
    return { name: String(name).toLowerCase(), type: kind, body };
  });
  const trees = await syntaxTrees(
    connection,
    objects.map(({ body }) => body),
  );
  const named = (type: SourceObject["type"]) =>
    new Set(objects.filter((object) => object.type === type).map(({ name }) => name));
  return {
    refused: refusedObjects(objects, (index) => {
      const parsed = trees[index];
      return parsed === undefined || "issue" in parsed ? undefined : [...namesIn(parsed.tree)];
    }),
    macros: named("macro"),
    tableMacros: named("table_macro"),
    usesCurrentQuery: objects.some(({ body }) => /current_query/i.test(body)),
  };
}

/** @param usesOf returns the names in the body of an object; undefined if the engine has no syntax tree of it */
function refusedObjects(
  objects: readonly SourceObject[],
  usesOf: (index: number) => readonly NameUse[] | undefined,
): ReadonlySet<string> {
  const uses = objects.map((_, index) => usesOf(index));
  const refused = new Set<string>();
  // A body can use an object that is refused because of another one.
  for (let before = -1; before !== refused.size; ) {
    before = refused.size;
    for (const [index, { name, body }] of objects.entries()) {
      const isUsed = uses[index]?.some((use) => isRefused(use) || refused.has(use.name));
      if (isUsed ?? refusedNameIn(body, refused) !== undefined) refused.add(name);
    }
  }
  return refused;
}

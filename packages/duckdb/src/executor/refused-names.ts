import type { DuckDBConnection } from "@duckdb/node-api";
import { allowedFunctions, allowedViews, deniedFunctions, tableFunctions } from "./allowed-names.ts";

const engineViews = "SELECT lower(view_name) FROM duckdb_views() WHERE internal";

/**
 * Selects the functions of the engine, and whether each can be called for a value. It calls functions by their schema,
 * because a source can have macros with the same names.
 */
const engineFunctions = `
  SELECT system.main.lower(function_name), system.main.bool_or(function_type IN ('scalar', 'aggregate', 'macro'))
  FROM system.main.duckdb_functions() WHERE internal GROUP BY ALL`;

/** Returns the names of functions and views that no statement may use, in lower case. */
export async function refusedNames(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  return new Set([...(await functionsNotAllowed(connection)), ...(await viewsNotAllowed(connection))]);
}

/**
 * Names of the engine's views and functions that no statement may use, the same on each connection. Listing them takes
 * some milliseconds, and listing the views creates about 90 objects on the connection.
 */
let listedViews: Promise<ReadonlySet<string>> | undefined;
let listedFunctions: Promise<ReadonlySet<string>> | undefined;

/** Returns the names of views that no statement may use, in lower case. The first call of a process reads them. */
export function viewsNotAllowed(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  listedViews ??= firstColumn(connection, engineViews).then(
    (names) => new Set(names.filter((name) => !allowedViews.has(name))),
  );
  return listedViews;
}

/** Returns the names of functions that no statement may call, in lower case. The first call of a process reads them. */
export function functionsNotAllowed(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  listedFunctions ??= readFunctionsNotAllowed(connection);
  return listedFunctions;
}

async function readFunctionsNotAllowed(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const rows = (await connection.runAndReadAll(engineFunctions)).getRows();
  const refusedByName = rows
    .map(([name, isValue]) => [String(name), isValue === true] as const)
    .filter(([name, isValue]) => !(isValue ? isAllowedFunction(name) : tableFunctions.has(name)))
    .map(([name]) => name);
  return new Set([...refusedByName, ...deniedFunctions]);
}

/** Returns true for a function that a statement may call for a value. @param name in lower case */
export function isAllowedFunction(name: string): boolean {
  return allowedFunctions.has(name) || name.startsWith("icu_collate_");
}

async function firstColumn(connection: DuckDBConnection, query: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map(([value]) => String(value));
}

/**
 * Returns a function that a text calls or a view that it names, in lower case, of those given. A name in a string or a
 * comment counts too: to tell these apart would need a second lexer that agrees with that of the engine.
 */
export function refusedNameIn(sql: string, functions: Iterable<string>, views: Iterable<string>): string | undefined {
  const text = sql.toLowerCase();
  const isNamed = (name: string, follows: string): boolean =>
    text.includes(name) && new RegExp(`(?<![\\w$])${name.replaceAll(/\W/g, "\\$&")}${follows}`).test(text);
  const isCall = `"?[\\s\u200b-\u200d\u2060]*(?:\\(|--|/\\*)`;
  for (const name of functions) if (isNamed(name, isCall)) return name;
  for (const name of views) if (isNamed(name, "(?![\\w$])")) return name;
  return undefined;
}

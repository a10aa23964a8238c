import type { DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { quotedText } from "../engine/quoting.ts";
import { allowedViews, deniedFunctions, tableFunctions } from "./allowed-names.ts";
import { engineFailure } from "./engine-error.ts";

const engineViews = "SELECT lower(view_name) FROM duckdb_views() WHERE internal";

/**
 * Selects the names of functions that are table functions only. It calls functions by their schema, because a source can
 * have macros with the same names.
 */
const engineTableFunctions = `SELECT system.main.lower(function_name) FROM system.main.duckdb_functions() GROUP BY ALL
  HAVING system.main.bool_or(function_type IN ('table', 'table_macro'))
    AND NOT system.main.bool_or(function_type IN ('scalar', 'aggregate', 'macro'))`;

/**
 * Refuses functions and views that are not allowed. It reads them from the engine's own syntax tree of the statement,
 * in which strings and comments cannot be taken for names.
 * @throws {StatementError}
 */
export async function inspectTree(connection: DuckDBConnection, sql: string): Promise<void> {
  // A literal, because a statement with a parameter takes twice as long.
  const [text] = await firstColumn(connection, `SELECT system.main.json_serialize_sql(${quotedText(sql)})`);
  const tree: unknown = JSON.parse(text ?? "");
  if (member(tree, "error") === true) {
    if (member(tree, "error_type") === "not implemented") throw notReading();
    throw new StatementError(engineFailure(new Error(`Parser Error: ${member(tree, "error_message")}`), sql));
  }
  const deniedViews = await viewsNotAllowed(connection);
  // Every node is visited, so that no part of the tree is missed when the engine adds a kind of node.
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null) continue;
    refuseFunctions(node);
    refuseViews(node, deniedViews);
    for (const inner of Object.values(node)) pending.push(inner);
  }
}

/**
 * Refuses the same functions and views by their names in the text. It is for a PIVOT without a list of values, for
 * which the engine returns no syntax tree. A name in a string or a comment is refused too: to tell these apart would
 * need a second lexer that agrees with that of the engine.
 * @throws {StatementError}
 */
export async function inspectText(connection: DuckDBConnection, sql: string): Promise<void> {
  const text = sql.toLowerCase();
  const named = (name: string, follows: string): boolean =>
    text.includes(name) && new RegExp(`(?<![\\w$])${name.replaceAll(/\W/g, "\\$&")}${follows}`).test(text);
  const isCall = `"?[\\s\u200b-\u200d\u2060]*(?:\\(|--|/\\*)`;
  const functions = await firstColumn(connection, engineTableFunctions);
  for (const name of [...functions.filter((each) => !tableFunctions.has(each)), ...deniedFunctions])
    if (named(name, isCall)) throw refused(notAllowed("Function", name));
  for (const name of await viewsNotAllowed(connection))
    if (named(name, "(?![\\w$])")) throw refused(notAllowed("View", name));
  if (/(?:\.|\*\/|--[^\r\n]*[\r\n])\s*"?current_query\b/.test(text)) throw qualifiedCurrentQuery();
}

/** Returns the names of functions and views that no statement may use, in lower case. */
export async function refusedNames(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const functions = await firstColumn(connection, engineTableFunctions);
  const refusedFunctions = functions.filter((name) => !tableFunctions.has(name));
  return new Set([...refusedFunctions, ...deniedFunctions, ...(await viewsNotAllowed(connection))]);
}

/**
 * Names of the engine's views that no statement may use, the same on each connection. Listing the views creates about 90
 * objects on the connection.
 */
let listedViews: Promise<ReadonlySet<string>> | undefined;

/** Returns the names of views that no statement may use, in lower case. The first call of a process reads them. */
export function viewsNotAllowed(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  listedViews ??= firstColumn(connection, engineViews).then(
    (names) => new Set(names.filter((name) => !allowedViews.has(name))),
  );
  return listedViews;
}

async function firstColumn(connection: DuckDBConnection, query: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map(([value]) => String(value));
}

function refuseFunctions(node: object): void {
  if (member(node, "type") === "TABLE_FUNCTION") {
    const name = functionName(member(node, "function"));
    if (!tableFunctions.has(name)) throw refused(notAllowed("Table function", name));
  }
  const name = functionName(node);
  if (deniedFunctions.has(name)) throw refused(notAllowed("Function", name));
  if (name === "current_query" && member(node, "schema") !== "") throw qualifiedCurrentQuery();
}

/**
 * Returns the error for `main.current_query()`: with a schema it is the engine's function, which returns the text that
 * the service runs.
 */
function qualifiedCurrentQuery(): StatementError {
  return refused("Function not allowed: current_query with a schema; write current_query().");
}

function refuseViews(node: object, deniedViews: ReadonlySet<string>): void {
  if (member(node, "type") !== "BASE_TABLE") return;
  const name = String(member(node, "table_name")).toLowerCase();
  if (deniedViews.has(name)) throw refused(notAllowed("View", name));
}

function functionName(node: unknown): string {
  return String(member(node, "function_name") ?? "").toLowerCase();
}

function member(node: unknown, name: string): unknown {
  return typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined;
}

function notAllowed(kind: "Function" | "Table function" | "View", name: string): string {
  const action = kind === "Table function" ? "use the tables of the data source" : "remove it from the statement";
  return `${kind} not allowed: ${name}; ${action}.`;
}

/** Returns the error of a statement that is not a query. */
export function notReading(): StatementError {
  return refused("Statement not allowed: it is not a query; send one SELECT, DESCRIBE, SHOW or EXPLAIN.");
}

/** Returns the error of a statement that the gate refuses. */
export function refused(message: string): StatementError {
  return new StatementError({
    name: "StatementNotAllowed",
    message,
    data: { category: "USER", engine: "duckdb", retryable: false },
  });
}

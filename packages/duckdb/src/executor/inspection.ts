import type { DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { quotedText } from "../engine/quoting.ts";
import { deniedFunctions, tableFunctions } from "./allowed-names.ts";
import { engineFailure } from "./engine-error.ts";
import { functionsNotAllowed, isAllowedFunction, refusedNameIn, viewsNotAllowed } from "./refused-names.ts";
import { noObjects, type SourceObjects } from "./source-objects.ts";

/**
 * Refuses functions and views that are not allowed. It reads them from the engine's own syntax tree of the statement,
 * in which strings and comments cannot be taken for names.
 * @throws {StatementError}
 */
export async function inspectTree(
  connection: DuckDBConnection,
  sql: string,
  source: SourceObjects = noObjects,
): Promise<void> {
  // A literal, because a statement with a parameter takes twice as long.
  const reader = await connection.runAndReadAll(`SELECT system.main.json_serialize_sql(${quotedText(sql)})`);
  const tree: unknown = JSON.parse(String(reader.getRows()[0]?.[0]));
  if (member(tree, "error") === true) {
    if (member(tree, "error_type") === "not implemented") throw notReading();
    throw new StatementError(engineFailure(new Error(`Parser Error: ${member(tree, "error_message")}`), sql));
  }
  const deniedViews = await viewsNotAllowed(connection);
  const unknown = new Set<string>();
  // Every node is visited, so that no part of the tree is missed when the engine adds a kind of node.
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null) continue;
    refuseFunctions(node, source, unknown);
    refuseViews(node, deniedViews, source);
    for (const inner of Object.values(node)) pending.push(inner);
  }
  if (unknown.size === 0) return;
  // Macros of the source, and names that the engine itself will report as unknown.
  const refusedByEngine = await functionsNotAllowed(connection);
  for (const name of unknown) if (refusedByEngine.has(name)) throw refused(notAllowed("Function", name));
}

/**
 * Refuses the same functions and views by their names in the text. It is for a PIVOT without a list of values, for
 * which the engine returns no syntax tree, and for the bodies of views and macros.
 * @throws {StatementError}
 */
export async function inspectText(
  connection: DuckDBConnection,
  sql: string,
  source: SourceObjects = noObjects,
): Promise<void> {
  const functions = [...(await functionsNotAllowed(connection)), ...source.refused];
  const name = refusedNameIn(sql, functions, []);
  if (name !== undefined) throw refused(notAllowed("Function", name));
  const view = refusedNameIn(sql, [], [...(await viewsNotAllowed(connection)), ...source.refused]);
  if (view !== undefined) throw refused(notAllowed("View", view));
  if (/(?:\.|\*\/|--[^\r\n]*[\r\n])\s*"?current_query\b/.test(sql.toLowerCase())) throw qualifiedCurrentQuery();
}

/** @param unknown gets the names that are in no list */
function refuseFunctions(node: object, source: SourceObjects, unknown: Set<string>): void {
  if (member(node, "type") === "TABLE_FUNCTION") {
    const name = functionName(member(node, "function"));
    if (!tableFunctions.has(name) && !source.tableMacros.has(name)) throw refused(notAllowed("Table function", name));
  }
  const name = functionName(node);
  if (name === "") return;
  if (deniedFunctions.has(name) || source.refused.has(name)) throw refused(notAllowed("Function", name));
  if (name === "current_query" && member(node, "schema") !== "") throw qualifiedCurrentQuery();
  if (!isAllowedFunction(name) && !tableFunctions.has(name)) unknown.add(name);
}

/**
 * Returns the error for `main.current_query()`: with a schema it is the engine's function, which returns the text that
 * the service runs.
 */
function qualifiedCurrentQuery(): StatementError {
  return refused("Function not allowed: current_query with a schema; write current_query().");
}

function refuseViews(node: object, deniedViews: ReadonlySet<string>, source: SourceObjects): void {
  if (member(node, "type") !== "BASE_TABLE") return;
  const name = String(member(node, "table_name")).toLowerCase();
  if (deniedViews.has(name) || source.refused.has(name)) throw refused(notAllowed("View", name));
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

import type { DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { quotedText } from "../engine/quoting.ts";
import { engineFailure } from "./engine-error.ts";
import { isRefused, type NameUse, namesIn, refusedNameIn } from "./name-check.ts";
import { hasFewRows } from "./row-bound.ts";
import { noObjects, type SourceObjects } from "./source-objects.ts";
import { syntaxTrees } from "./syntax-tree.ts";

/**
 * Refuses functions and views that are not allowed. It reads them from the engine's own syntax tree of the statement.
 * @returns whether the tree shows that the statement has few rows
 * @throws {StatementError}
 */
export async function inspectTree(
  connection: DuckDBConnection,
  sql: string,
  source: SourceObjects = noObjects,
): Promise<boolean> {
  const [parsed] = await syntaxTrees(connection, [sql]);
  if (parsed === undefined) throw new Error("The engine returned no syntax tree.");
  if ("issue" in parsed) {
    if (parsed.issue.type === "not implemented") throw notReading();
    throw new StatementError(engineFailure(new Error(`Parser Error: ${parsed.issue.message}`), sql));
  }
  const unknown = new Map<string, NameUse>();
  for (const use of namesIn(parsed.tree)) {
    const { kind, name, hasSchema } = use;
    const isOfSource = kind === "Table function" ? source.tableMacros.has(name) : source.macros.has(name);
    const refusal = source.refused.has(name) || (isRefused(use) ?? (isOfSource ? false : undefined));
    if (refusal === true || (refusal === undefined && kind === "Table function")) throw refused(notAllowed(use));
    if (name === "current_query" && hasSchema) throw qualifiedCurrentQuery();
    if (refusal === undefined) unknown.set(name, use);
  }
  if (unknown.size > 0) await refuseUnlisted(connection, unknown);
  return hasFewRows(parsed.tree, source);
}

/**
 * Refuses functions that the engine has and that are in no list. It reports the others itself, with a name that the
 * statement may have meant.
 */
async function refuseUnlisted(connection: DuckDBConnection, unknown: ReadonlyMap<string, NameUse>): Promise<void> {
  const reader = await connection.runAndReadAll(`SELECT system.main.lower(function_name)
    FROM system.main.duckdb_functions() WHERE internal
    AND system.main.lower(function_name) IN (${[...unknown.keys()].map(quotedText).join(", ")})`);
  const use = unknown.get(String(reader.getRows()[0]?.[0]));
  if (use !== undefined) throw refused(notAllowed(use));
}

/**
 * Refuses the same functions and views by their names in the text. It is for a PIVOT without a list of values, for
 * which the engine returns no syntax tree.
 * @throws {StatementError}
 */
export function inspectText(sql: string, source: SourceObjects = noObjects): void {
  const use = refusedNameIn(sql, source.refused);
  if (use !== undefined) throw refused(notAllowed(use));
  if (/(?:\.|\*\/|--[^\r\n]*[\r\n])\s*"?current_query\b/.test(sql.toLowerCase())) throw qualifiedCurrentQuery();
}

/**
 * Returns the error for `main.current_query()`: with a schema it is the engine's function, which returns the text that
 * the service runs.
 */
function qualifiedCurrentQuery(): StatementError {
  return refused("Function not allowed: current_query with a schema; write current_query().");
}

function notAllowed({ kind, name }: NameUse): string {
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

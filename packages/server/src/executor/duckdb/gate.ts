import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from "@duckdb/node-api";
import { CallError } from "../../processes/messages.ts";
import { engineFailure, onEngine } from "./engine-error.ts";

/** Functions that make rows out of their arguments alone. */
const tableFunctions: ReadonlySet<string> = new Set([
  "range",
  "generate_series",
  "unnest",
  "json_each",
  "json_tree",
  "repeat",
  "repeat_row",
]);

/** Functions that wait, write, tell about the process, or hide a statement from this gate. */
const deniedFunctions: ReadonlySet<string> = new Set([
  "sleep_ms",
  "write_log",
  "current_setting",
  "getvariable",
  "getenv",
  "query",
  "query_table",
  "json_execute_serialized_sql",
]);

/** The engine's own views that tell about the data; its others tell about the service, such as where its files are. */
const allowedViews: ReadonlySet<string> = new Set([
  // information_schema
  "character_sets",
  "check_constraints",
  "columns",
  "constraint_column_usage",
  "constraint_table_usage",
  "key_column_usage",
  "referential_constraints",
  "schemata",
  "table_constraints",
  "tables",
  "views",
  // main
  "duckdb_columns",
  "duckdb_constraints",
  "duckdb_indexes",
  "duckdb_schemas",
  "duckdb_tables",
  "duckdb_types",
  "duckdb_views",
  "sqlite_master",
  "sqlite_schema",
  // pg_catalog
  "pg_am",
  "pg_attrdef",
  "pg_attribute",
  "pg_class",
  "pg_collation",
  "pg_constraint",
  "pg_database",
  "pg_depend",
  "pg_description",
  "pg_enum",
  "pg_index",
  "pg_indexes",
  "pg_namespace",
  "pg_proc",
  "pg_sequence",
  "pg_sequences",
  "pg_tables",
  "pg_type",
  "pg_views",
]);

/**
 * Lets one statement through that only reads, and prepares it. The locked instance must hold without this gate; the
 * gate is the second wall. It runs behind the lock, because parsing alone can touch the disk.
 * @throws {CallError} with what is wrong with the statement
 */
export async function admit(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  if (sql.trim() === "") throw refused("The text has no statement.");
  const statements = await onEngine(sql, async () => {
    try {
      return await connection.extractStatements(sql);
    } catch (error) {
      // This is all that the engine says about a text of comments.
      if (error instanceof Error && error.message === "Error in native callback")
        throw refused("The text has no statement.");
      throw error;
    }
  });
  if (statements.count !== 1) throw refused(`The text has ${statements.count} statements; a run has one.`);
  // The tree comes before the binder, which would call table functions to learn their columns.
  await inspectTree(connection, sql);
  const statement = await onEngine(sql, () => statements.prepare(0));
  if (statement.statementType !== StatementType.SELECT) throw refused("Only statements that read are allowed.");
  return statement;
}

async function inspectTree(connection: DuckDBConnection, sql: string): Promise<void> {
  const [text] = await firstColumn(connection, "SELECT json_serialize_sql($1::VARCHAR)", [sql]);
  const tree: unknown = JSON.parse(text ?? "");
  if (member(tree, "error") === true) {
    if (member(tree, "error_type") === "not implemented") throw refused("Only statements that read are allowed.");
    throw new CallError(engineFailure(new Error(`Parser Error: ${member(tree, "error_message")}`), sql));
  }
  const engineViews = await firstColumn(connection, "SELECT lower(view_name) FROM duckdb_views() WHERE internal");
  const deniedViews = new Set(engineViews.filter((name) => !allowedViews.has(name)));
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null) continue;
    refuseFunctions(node);
    refuseViews(node, deniedViews);
    for (const inner of Object.values(node)) pending.push(inner);
  }
}

async function firstColumn(connection: DuckDBConnection, query: string, values: string[] = []): Promise<string[]> {
  const reader = await connection.runAndReadAll(query, values);
  return reader.getRows().map(([value]) => String(value));
}

function refuseFunctions(node: object): void {
  if (member(node, "type") === "TABLE_FUNCTION") {
    const name = functionName(member(node, "function"));
    if (!tableFunctions.has(name)) throw refused(`The table function ${name} is not allowed.`);
  }
  const name = functionName(node);
  if (deniedFunctions.has(name)) throw refused(`The function ${name} is not allowed.`);
}

function refuseViews(node: object, deniedViews: ReadonlySet<string>): void {
  if (member(node, "type") !== "BASE_TABLE") return;
  const name = String(member(node, "table_name")).toLowerCase();
  if (deniedViews.has(name)) throw refused(`The view ${name} is not allowed.`);
}

function functionName(node: unknown): string {
  return String(member(node, "function_name") ?? "").toLowerCase();
}

function member(node: unknown, name: string): unknown {
  return typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined;
}

function refused(message: string): CallError {
  return new CallError({
    name: "StatementNotAllowed",
    message,
    data: { category: "USER", engine: "duckdb", retryable: false },
  });
}

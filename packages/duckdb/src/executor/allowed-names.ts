/** Table functions that produce rows from their arguments alone. */
export const tableFunctions: ReadonlySet<string> = new Set([
  "range",
  "generate_series",
  "unnest",
  "json_each",
  "json_tree",
  "repeat",
  "repeat_row",
]);

/**
 * Functions that wait, write, read variables or settings of the connection or the process, or run a text as a statement
 * that the check of names would not see.
 */
export const deniedFunctions: ReadonlySet<string> = new Set([
  "sleep_ms",
  "write_log",
  "current_setting",
  "getvariable",
  "getenv",
  "query",
  "query_table",
  "json_execute_serialized_sql",
]);

/** Views of the engine that describe the data. Its other views describe the service, such as the paths of its files. */
export const allowedViews: ReadonlySet<string> = new Set([
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

/** Statement that leaves something behind on its connection, in its engine, or in the directory of its process. */
export interface Trace {
  readonly name: string;
  readonly sql: string;
}

/** The gate refuses all of them but the PIVOT. */
export const traces: readonly Trace[] = [
  { name: "a variable", sql: "set variable x = 1" },
  { name: "a temporary table", sql: "create or replace temp table t as select 1 as n" },
  { name: "a temporary view", sql: "create or replace temp view v as select 1 as n" },
  { name: "a temporary macro", sql: "create or replace temp macro m() as 1" },
  { name: "a temporary macro in place of the service's", sql: "create or replace temp macro current_query() as 'x'" },
  { name: "a temporary type", sql: "create or replace temp type colour as enum ('red')" },
  { name: "a temporary sequence", sql: "create or replace temp sequence s" },
  { name: "a prepared statement", sql: "prepare p as select 1" },
  { name: "a profile", sql: "pragma enable_profiling" },
  { name: "a disabled optimizer", sql: "pragma disable_optimizer" },
  { name: "another catalog", sql: "use memory" },
  { name: "a random seed", sql: "select setseed(0.5)" },
  { name: "a transaction", sql: "begin" },
  { name: "the type of a PIVOT", sql: "pivot (select 1 as a, 2 as b) on a using sum(b)" },
  { name: "a macro", sql: "create or replace macro memory.main.m() as 1" },
  { name: "a macro in place of an operator", sql: `create or replace macro memory.main."||"(a, b) as 'x'` },
  {
    name: "a macro in place of the function that lists macros",
    sql: "create or replace macro memory.main.duckdb_functions() as table (select 'm' as function_name, true as internal, 'temp' as database_name)",
  },
  {
    name: "a macro in place of the function that lists schemas",
    sql: "create or replace macro memory.main.duckdb_schemas() as table (select 0 as oid, 'temp' as database_name, 'main' as schema_name)",
  },
  { name: "a table", sql: "create or replace table memory.main.t as select 1 as n" },
  { name: "a view", sql: "create or replace view memory.main.v as select 1 as n" },
  { name: "a view in place of the log", sql: "create or replace view memory.main.duckdb_logs as select 1 as n" },
  { name: "a type", sql: "create or replace type memory.main.colour as enum ('red')" },
  { name: "a sequence", sql: "create or replace sequence memory.main.s" },
  { name: "a schema", sql: "create schema if not exists memory.other" },
  { name: "a secret", sql: "create or replace secret s (type http, bearer_token 'x')" },
  { name: "an attached database", sql: "attach if not exists ':memory:' as other" },
  { name: "a hidden database", sql: "attach if not exists ':memory:' as hidden (hidden)" },
  { name: "a log", sql: "call enable_logging(); select write_log('left')" },
  { name: "a log that is off again", sql: "call enable_logging(); select write_log('left'); call disable_logging()" },
  { name: "a file", sql: "copy (select 1) to 'out/left.csv'" },
  { name: "a file of a database", sql: "attach if not exists 'out/left.duckdb' as left_behind" },
];

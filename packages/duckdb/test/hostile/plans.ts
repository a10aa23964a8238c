import type { HostileStatement } from "./hostile-statement.ts";

const pointer = {
  class: "CONSTANT",
  type: "VALUE_CONSTANT",
  value: { type: { id: "POINTER" }, is_null: false, value: 4096 },
};
const arrowScan = {
  class: "FUNCTION",
  type: "FUNCTION",
  function_name: "arrow_scan",
  children: [pointer, pointer, pointer],
};
const tree = {
  type: "SELECT_NODE",
  cte_map: { map: [] },
  select_list: [{ class: "STAR", type: "STAR", exclude_list: [], replace_list: [] }],
  from_table: { type: "TABLE_FUNCTION", function: arrowScan },
  aggregate_handling: "STANDARD_HANDLING",
};

/** Calls a function at an address of the caller, by a tree with constants that SQL cannot express. */
export const serializedPointers = `select json_serialize_plan('from json_execute_serialized_sql(''${JSON.stringify({ statements: [{ node: tree }] })}'')')`;

/** Statements that bind a text or a plan, or show the memory of the engine, by a function of the engine. */
export const plans: readonly HostileStatement[] = [
  { name: "jumps to an address", sql: () => serializedPointers, without: "WorkerLost" },
  {
    name: "prints the paths of the service in a plan",
    sql: () => "select json_serialize_plan('select current_setting(''allowed_paths'')', optimize := true)",
    without: "success",
  },
  {
    name: "prints an address of the process",
    sql: () => "select (any_value(s) export_state)::blob from (select repeat('x', 100) as s)",
    without: "success",
  },
  {
    name: "names a table by text in a macro of the engine",
    sql: () => "pivot (from histogram('duckdb_' || 'databases', path)) on bin",
  },
];

import { namesIn } from "./name-check.ts";
import type { SourceObjects } from "./source-objects.ts";

/** Largest number of rows of a query with few rows, all of which are in memory at once. */
const maxRows = 100;

/** Aggregates. A query that selects one without a group has one row. */
const aggregates: ReadonlySet<string> = new Set([
  "any_value",
  "approx_count_distinct",
  "arg_max",
  "arg_min",
  "avg",
  "bool_and",
  "bool_or",
  "count",
  "count_if",
  "count_star",
  "max",
  "median",
  "min",
  "quantile_cont",
  "stddev",
  "string_agg",
  "sum",
  "var_samp",
]);

/** Functions that return several rows where a value is expected. */
const severalRows: ReadonlySet<string> = new Set(["unnest", "unlist", "generate_subscripts", "regexp_split_to_table"]);

/** Parts of a query in the engine's JSON. */
interface QueryNode {
  readonly type?: string;
  readonly modifiers?: readonly { readonly type?: string; readonly limit?: unknown }[];
  readonly select_list?: readonly unknown[];
  readonly from_table?: { readonly type?: string };
  readonly group_expressions?: readonly unknown[];
  readonly group_sets?: readonly unknown[];
  readonly aggregate_handling?: string;
}

/**
 * Returns true if the syntax tree of a query shows that it has few rows: by a LIMIT, an aggregate without a group, or
 * because it reads no table. False means unknown.
 */
export function hasFewRows(tree: unknown, source: SourceObjects): boolean {
  const { statements } = Object(tree) as { readonly statements?: readonly { readonly node?: QueryNode }[] };
  const node = statements?.[0]?.node;
  if (node === undefined) return false;
  const limited = node.modifiers?.some(({ type, limit }) => type === "LIMIT_MODIFIER" && isSmall(limit));
  return limited === true || hasOneRow(node, source);
}

function isSmall(limit: unknown): boolean {
  const { value } = Object(limit) as { readonly value?: { readonly value?: unknown } };
  return typeof value?.value === "number" && value.value <= maxRows;
}

function hasOneRow(node: QueryNode, source: SourceObjects): boolean {
  const { type, select_list: list = [], group_expressions: groups = [], group_sets: sets = [] } = node;
  if (type !== "SELECT_NODE" || groups.length > 0 || sets.length > 0) return false;
  if (node.aggregate_handling !== "STANDARD_HANDLING") return false;
  for (const { name } of namesIn([list, node.modifiers]))
    if (severalRows.has(name) || source.macros.has(name)) return false;
  return node.from_table?.type === "EMPTY" || list.some(isAggregate);
}

/** Returns true for an expression with an aggregate of the query itself, not of a window or a subquery. */
function isAggregate(expression: unknown): boolean {
  if (typeof expression !== "object" || expression === null) return false;
  const { class: kind, function_name: name } = expression as {
    readonly class?: unknown;
    readonly function_name?: unknown;
  };
  if (kind === "SUBQUERY") return false;
  if (kind === "FUNCTION" && aggregates.has(String(name).toLowerCase())) return true;
  return Object.values(expression).some(isAggregate);
}

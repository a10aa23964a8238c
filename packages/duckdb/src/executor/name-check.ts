import {
  allowedFunctions,
  deniedFunctions,
  deniedTableFunctions,
  deniedViews,
  tableFunctions,
} from "./allowed-names.ts";

/** Function, table function or view that a syntax tree names. A table has the kind `View`, too. */
export interface NameUse {
  readonly kind: "Function" | "Table function" | "View";
  /** In lower case. */
  readonly name: string;
  readonly hasSchema: boolean;
}

/** Syntax after a call, `sum(n) EXPORT_STATE`. It is in the list of functions that are refused. */
const exportState = "export_state";

/** Names of functions that a completion must not suggest, and of views, in lower case. */
export const refusedNames: ReadonlySet<string> = new Set(
  [...deniedFunctions, ...deniedTableFunctions, ...deniedViews].filter((name) => !allowedFunctions.has(name)),
);

/** Returns true for a name that no statement may use, false for one that it may use, and undefined for an unknown one. */
export function isRefused({ kind, name }: NameUse): boolean | undefined {
  if (kind === "View") return deniedViews.has(name);
  if (kind === "Table function") return known(name, tableFunctions, deniedTableFunctions);
  return name.startsWith("icu_collate_") ? false : known(name, allowedFunctions, deniedFunctions);
}

function known(name: string, allowed: ReadonlySet<string>, denied: ReadonlySet<string>): boolean | undefined {
  if (allowed.has(name)) return false;
  return denied.has(name) ? true : undefined;
}

/** Yields the names that the engine's JSON of a statement uses, however the statement writes them. */
export function* namesIn(tree: unknown): Generator<NameUse, void> {
  // Every node is visited, so that no part of the tree is missed when the engine adds a kind of node.
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null) continue;
    const type = member(node, "type");
    // SHOW VARIABLES
    if (type === "SHOW_REF" && member(node, "table_name") === '"variables"')
      yield use("Table function", "duckdb_variables", node);
    if (type === "BASE_TABLE") yield use("View", member(node, "table_name"), node);
    const called = type === "TABLE_FUNCTION" ? member(node, "function") : undefined;
    if (called !== undefined) yield use("Table function", member(called, "function_name"), called);
    const name = member(node, "function_name");
    if (name !== undefined && name !== "") yield use("Function", name, node);
    if (member(node, exportState) === true) yield use("Function", exportState, node);
    for (const inner of Object.values(node)) if (inner !== called) pending.push(inner);
    if (called !== undefined) pending.push(...Object.values(Object(called)));
  }
}

function use(kind: NameUse["kind"], name: unknown, node: unknown): NameUse {
  return { kind, name: String(name).toLowerCase(), hasSchema: member(node, "schema") !== "" };
}

function member(node: unknown, name: string): unknown {
  return typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined;
}

/**
 * Returns a function that a text calls or a view that it names, of those that no statement may use and those of a
 * source. A name in a string or a comment counts too: to tell these apart would need a second lexer that agrees with that
 * of the engine. A function that is also a table function of the engine that no statement may use is refused.
 */
export function refusedNameIn(sql: string, ofSource: ReadonlySet<string>): NameUse | undefined {
  const text = sql.toLowerCase();
  const isNamed = (name: string, follows: string): boolean =>
    text.includes(name) && new RegExp(`(?<![\\w$])${name.replaceAll(/\W/g, "\\$&")}${follows}`).test(text);
  const isCall = `"?[\\s\u200b-\u200d\u2060]*(?:\\(|--|/\\*)`;
  for (const name of [...deniedFunctions, ...deniedTableFunctions, ...ofSource])
    if (isNamed(name, isCall)) return use("Function", name, undefined);
  for (const name of [...deniedViews, ...ofSource])
    if (isNamed(name, "(?![\\w$])")) return use("View", name, undefined);
  if (/\bshow\b[^,;()]*\bvariables\b/.test(text)) return use("Table function", "duckdb_variables", undefined);
  return isNamed(exportState, "(?![\\w$])") ? use("Function", exportState, undefined) : undefined;
}

import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";

/** Error of the engine's parser. */
interface SyntaxIssue {
  readonly type: string;
  readonly message: string;
}

/** Syntax tree of a query as the engine's JSON has it, or the reason why there is none. */
export type SyntaxTree = { readonly tree: unknown } | { readonly issue: SyntaxIssue };

/** Returns the syntax tree of each query, in which strings and comments cannot be taken for names. */
export async function syntaxTrees(connection: DuckDBConnection, queries: readonly string[]): Promise<SyntaxTree[]> {
  // Literals, because a statement with parameters takes twice as long. The function has its schema, because a source can
  // have a macro of the same name.
  const calls = queries.map((sql) => `system.main.json_serialize_sql(${quotedText(sql)})`);
  const reader = await connection.runAndReadAll(`SELECT ${calls.join(", ")}`);
  return (reader.getRows()[0] ?? []).map((json) => treeOf(String(json)));
}

function treeOf(json: string): SyntaxTree {
  const tree = Object(parsed(json));
  if (tree.error !== true) return { tree };
  return { issue: { type: String(tree.error_type), message: String(tree.error_message) } };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The engine writes the value of a number such as 1e400 as it is, which JSON does not know.
    return JSON.parse(json.replaceAll(/(?<="value":)-?(?:Infinity|NaN)(?=[,}])/g, "null"));
  }
}

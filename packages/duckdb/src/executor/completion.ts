import type { DuckDBConnection } from "@duckdb/node-api";
import type { Completion, CompletionKind } from "@quern/adapter";
import { refusedNames } from "./inspection.ts";

/** Kinds of the engine's suggestions. Other ones, such as files and settings, are of no use to a statement that reads. */
const kinds: ReadonlyMap<string, CompletionKind> = new Map([
  ["keyword", "keyword"],
  ["catalog", "catalog"],
  ["schema", "schema"],
  ["table", "table"],
  ["column", "column"],
  ["type", "type"],
  ["scalar_function", "function"],
  ["aggregate_function", "function"],
  ["table_function", "function"],
]);

const suggestionsQuery = "SELECT suggestion, suggestion_start, suggestion_type FROM sql_auto_complete($1)";

/** Suggests how a text goes on, without the names that the gate refuses. */
export async function completions(connection: DuckDBConnection, text: string): Promise<readonly Completion[]> {
  const refused = await refusedNames(connection);
  const bytes = Buffer.from(text);
  const rows = (await connection.runAndReadAll(suggestionsQuery, [text])).getRows();
  return rows.flatMap(([suggestion, byteOffset, type]) => {
    const kind = kinds.get(String(type));
    const suggested = String(suggestion).trimEnd();
    if (kind === undefined || refused.has(suggested.toLowerCase())) return [];
    // The engine counts bytes, callers UTF-16 code units.
    return [{ text: suggested, start: bytes.subarray(0, Number(byteOffset)).toString().length, kind }];
  });
}

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Completion, CompletionKind } from "@quern/adapter";
import { refusedNames } from "./name-check.ts";
import { significantPieces } from "./statement-text.ts";

/** Kinds of suggestions, by the engine's names. Other kinds, such as files and settings, are not suggested. */
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

/** Open brackets and characters of the longest text that is completed. The engine tries each open bracket several ways. */
const maxOpenBrackets = 5;
const maxLength = 20_000;

/**
 * Returns completions at the end of a text, without names of functions and views that statements may not use. A text that
 * would take the engine very long, or more stack than it has, gets none.
 */
export async function completions(connection: DuckDBConnection, text: string): Promise<readonly Completion[]> {
  if (text.length > maxLength || openBrackets(text) > maxOpenBrackets) return [];
  const bytes = Buffer.from(text);
  const rows = (await connection.runAndReadAll(suggestionsQuery, [text])).getRows();
  return rows.flatMap(([suggestion, byteOffset, type]) => {
    const kind = kinds.get(String(type));
    const suggested = String(suggestion).trimEnd();
    if (kind === undefined || refusedNames.has(suggested.toLowerCase())) return [];
    // Offsets of the engine are in bytes, those of callers in UTF-16 code units.
    return [{ text: suggested, start: bytes.subarray(0, Number(byteOffset)).toString().length, kind }];
  });
}

function openBrackets(sql: string): number {
  let open = 0;
  for (const { text } of significantPieces(sql))
    if (text === "(" || text === "[" || text === "{") open += 1;
    else if (text === ")" || text === "]" || text === "}") open = Math.max(0, open - 1);
  return open;
}

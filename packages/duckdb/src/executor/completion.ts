import type { DuckDBConnection } from "@duckdb/node-api";
import type { Completion, CompletionKind } from "@quern/adapter";
import { quotedName } from "../engine/quoting.ts";
import { refusedNames } from "./name-check.ts";
import { type QualifiedName, qualifiedNameAt } from "./qualified-name.ts";
import { isBeforeRelation, scopeAt } from "./query-scope.ts";
import { columnReader, isSame, mainSchema, namedTables } from "./scope-columns.ts";
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
const keywordsQuery = "SELECT keyword_name FROM duckdb_keywords()";

/** Open brackets and characters of the longest text that is completed. The engine tries each open bracket several ways. */
const maxOpenBrackets = 5;
const maxLength = 20_000;

/**
 * Returns completions at a position in a text, without names of functions and views that statements may not use. After a
 * dot, only what belongs to the name before it; a text that would take the engine very long, or more stack than it has,
 * gets none.
 */
export async function completions(
  connection: DuckDBConnection,
  sql: string,
  position = sql.length,
): Promise<readonly Completion[]> {
  const text = sql.slice(0, position);
  if (text.length > maxLength || openBrackets(text) > maxOpenBrackets) return [];
  const after = sql.slice(position, position + maxLength);
  const name = qualifiedNameAt(text);
  if (name !== undefined) return qualifiedCompletions(connection, text, after, name);
  const bytes = Buffer.from(text);
  // Offsets of the engine are in bytes, those of callers in UTF-16 code units.
  const offsetOf = (byteOffset: unknown) => bytes.subarray(0, Number(byteOffset)).toString().length;
  const rows = (await connection.runAndReadAll(suggestionsQuery, [text])).getRows();
  const found = rows.flatMap(([suggestion, byteOffset, type]): readonly Completion[] => {
    const kind = kinds.get(String(type));
    const suggested = String(suggestion).trimEnd();
    if (kind === undefined || refusedNames.has(suggested.toLowerCase())) return [];
    // The engine also suggests signs, and operators as functions.
    if ((kind === "keyword" || kind === "function") && !/^"?[\p{L}_]/u.test(suggested)) return [];
    return [{ text: suggested, start: offsetOf(byteOffset), kind }];
  });
  const expression = rows.find(([, , type]) => type === "column" || type === "scalar_function");
  return expression === undefined
    ? found
    : withScope(connection, found, { text, after, start: offsetOf(expression[1]) });
}

interface Place {
  readonly text: string;
  readonly after: string;
  /** Offset of the text to replace. */
  readonly start: number;
}

/** Replaces the columns of all tables by those of the relations around the position, if these are known. */
async function withScope(
  connection: DuckDBConnection,
  found: readonly Completion[],
  { text, after, start }: Place,
): Promise<readonly Completion[]> {
  const scope = scopeAt(`${text.slice(0, start)} ${after}`, start);
  const relations = scope.flatMap((query) => query.relations);
  if (relations.length === 0) return found;
  const { ofRelation } = columnReader(connection, await namedTables(connection));
  const names: string[] = [];
  for (const relation of relations) {
    const columns = await ofRelation(relation, scope);
    if (columns === undefined) return found;
    names.push(...columns);
  }
  const keywords = new Set((await connection.runAndReadAll(keywordsQuery)).getRows().map(([word]) => String(word)));
  const typed = text.slice(start);
  const columns = matching(names, typed).map((name): Completion => {
    const isPlain = isPlainName(name) && !keywords.has(name.toLowerCase());
    return { text: isPlain ? name : quotedName(name), start, kind: "column" };
  });
  return [...columns, ...found.filter(({ kind }) => kind !== "column")];
}

/** Returns the columns of the table, or the tables of the schema, that a qualified name names. */
async function qualifiedCompletions(
  connection: DuckDBConnection,
  text: string,
  after: string,
  name: QualifiedName,
): Promise<readonly Completion[]> {
  const { qualifiers, typed, typedStart: start, isQuoted } = name;
  const [first = ""] = qualifiers;
  if (first === "") return [];
  const tables = await namedTables(connection);
  const completion = (found: string, kind: CompletionKind, end = ""): Completion => {
    // Keywords need no quotes after a dot.
    return { text: (isQuoted || !isPlainName(found) ? quotedName(found) : found) + end, start, kind };
  };
  const columns = async () => {
    const scope = scopeAt(`${text.slice(0, name.start)} ${after}`, name.start);
    const { ofTable, ofRelation } = columnReader(connection, tables);
    const isAlias = qualifiers.length === 1;
    const relation = isAlias && scope.flatMap((each) => each.relations).find((each) => isSame(first, each.name));
    const found = relation ? await ofRelation(relation, scope) : await ofTable(qualifiers);
    return matching(found ?? [], typed).map((each) => completion(each, "column"));
  };
  const within = () => {
    const [outer = "", schema] = qualifiers;
    if (qualifiers.length > 2) return [];
    const ofSchema = tables.filter((table) =>
      schema === undefined
        ? isSame(outer, table.schema) || (isSame(outer, table.catalog) && table.schema === mainSchema)
        : isSame(outer, table.catalog) && isSame(schema, table.schema),
    );
    const ofCatalog = schema === undefined ? tables.filter((table) => isSame(outer, table.catalog)) : [];
    return [
      ...matching(
        ofSchema.map((table) => table.name),
        typed,
      ).map((each) => completion(each, "table")),
      ...matching(
        ofCatalog.map((table) => table.schema),
        typed,
      ).map((each) => completion(each, "schema", ".")),
    ];
  };
  const isRelation = isBeforeRelation(name.before);
  const likely = isRelation ? within() : await columns();
  if (likely.length > 0) return likely;
  return isRelation ? columns() : within();
}

function isPlainName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);
}

/** Returns the names that begin with a text, then those that contain it, each once. */
function matching(names: readonly string[], typed: string): readonly string[] {
  const text = typed.replace(/^"/, "").toLowerCase();
  const unique = [...new Set(names)];
  const begin = unique.filter((name) => name.toLowerCase().startsWith(text));
  return [...begin, ...unique.filter((name) => !begin.includes(name) && name.toLowerCase().includes(text))];
}

function openBrackets(sql: string): number {
  let open = 0;
  for (const { text } of significantPieces(sql))
    if (text === "(" || text === "[" || text === "{") open += 1;
    else if (text === ")" || text === "]" || text === "}") open = Math.max(0, open - 1);
  return open;
}

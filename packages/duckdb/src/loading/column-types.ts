import type { DuckDBConnection } from "@duckdb/node-api";
import { type ColumnTypes, SourceError } from "../sources/origin.ts";

/** Type of a column of a table. */
export interface ColumnType {
  /** As the engine writes it. */
  readonly type: string;
  /** True if the operator has set it. */
  readonly isGiven: boolean;
}

/**
 * Returns the type of each column: the given type as the engine writes it, else VARCHAR for `allText`, else the detected
 * type.
 * @throws {SourceError} if a given column or type does not exist, or a column is given twice
 */
export async function columnTypes(
  connection: DuckDBConnection,
  detected: ReadonlyMap<string, string>,
  { types = {}, allText = false }: ColumnTypes,
): Promise<ReadonlyMap<string, ColumnType>> {
  const found = new Map(
    [...detected].map(([name, type]) => [name, { type: allText ? "VARCHAR" : type, isGiven: false }]),
  );
  const named = new Map<string, string>();
  for (const [given, type] of Object.entries(types)) {
    const column = [...found.keys()].find((name) => name.toLowerCase() === given.toLowerCase());
    if (column === undefined) {
      const meant = await nearest(connection, given, found.keys());
      const action = meant === undefined ? `use one of ${[...found.keys()].join(", ")}` : `did you mean ${meant}?`;
      throw new SourceError(`Unknown column: ${given}; ${action}`);
    }
    const other = named.get(column);
    if (other !== undefined)
      throw new SourceError(`Conflicting types of the column ${column}: ${other}, ${type}; give only one of them`);
    named.set(column, await engineType(connection, column, type));
  }
  for (const [name, type] of named) found.set(name, { type, isGiven: true });
  return found;
}

/** Returns true for a type that is a VARIANT, or has one in it. @param type as the engine writes it */
export function hasVariant(type: string): boolean {
  return /(^|[ (])VARIANT($|[[,)])/.test(withoutQuotes(type));
}

function withoutQuotes(type: string): string {
  return type.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, "");
}

/** Returns why a column that is read from texts cannot have a type; undefined if it can. */
function refusalOf(type: string): string | undefined {
  if (hasVariant(type)) return "a source cannot hold it; use VARCHAR";
  // The engine takes the first member that the text can be cast to.
  return /(^|[ (])UNION\(/.test(withoutQuotes(type))
    ? "a text does not say which member it is; use VARCHAR"
    : undefined;
}

async function engineType(connection: DuckDBConnection, column: string, type: string): Promise<string> {
  let found: string | undefined;
  try {
    const statement = await connection.prepare(`SELECT CAST(NULL AS ${type})`);
    if (statement.columnCount === 1) found = statement.columnType(0).toString();
  } catch (error) {
    const [, unknown] = /Type with name (\S+) does not exist/.exec(String(error)) ?? [];
    if (unknown !== undefined) {
      const known = (await connection.runAndReadAll("SELECT upper(type_name) FROM duckdb_types()")).getRows();
      const meant = await nearest(connection, unknown, known.map(String));
      if (meant !== undefined)
        throw new SourceError(`Invalid type of the column ${column}: ${type}; did you mean ${meant}?`);
    }
  }
  const refusal = found === undefined ? "use a DuckDB type, such as VARCHAR or DECIMAL(10,2)" : refusalOf(found);
  if (found !== undefined && refusal === undefined) return found;
  throw new SourceError(`Invalid type of the column ${column}: ${type}; ${refusal}`);
}

/**
 * Returns the known word that is most similar to `word`. Returns undefined if each known word differs from it in more
 * than a third of the letters of the known word, rounded up.
 */
async function nearest(
  connection: DuckDBConnection,
  word: string,
  known: Iterable<string>,
): Promise<string | undefined> {
  const distance = "damerau_levenshtein(lower(name), lower($2))";
  const reader = await connection.runAndReadAll(
    `SELECT name FROM unnest(string_split($1, chr(0))) t(name)
      WHERE ${distance} <= ceil(length(name) / 3) ORDER BY ${distance} LIMIT 1`,
    [[...known].join("\0"), word],
  );
  return reader.getRows()[0]?.map(String)[0];
}

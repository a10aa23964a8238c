import type { DuckDBConnection } from "@duckdb/node-api";
import { type ColumnTypes, SourceError } from "../sources/origin.ts";

/**
 * Returns the type of each column of a query: the given type, else VARCHAR for `allText`, else the type that the engine
 * detects.
 * @throws {SourceError} if a given column or type does not exist, or a column is given twice
 */
export async function columnTypes(
  connection: DuckDBConnection,
  query: string,
  { types = {}, allText = false }: ColumnTypes,
): Promise<ReadonlyMap<string, string>> {
  const described = (await connection.runAndReadAll(`DESCRIBE ${query}`)).getRows();
  const found = new Map(described.map(([name, type]) => [String(name), allText ? "VARCHAR" : String(type)]));
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
    await checkType(connection, column, type);
    named.set(column, type);
  }
  return new Map([...found, ...named]);
}

async function checkType(connection: DuckDBConnection, column: string, type: string): Promise<void> {
  try {
    const { columnCount } = await connection.prepare(`SELECT CAST(NULL AS ${type})`);
    if (columnCount === 1) return;
  } catch (error) {
    const [, unknown] = /Type with name (\S+) does not exist/.exec(String(error)) ?? [];
    if (unknown !== undefined) {
      const known = (await connection.runAndReadAll("SELECT upper(type_name) FROM duckdb_types()")).getRows();
      const meant = await nearest(connection, unknown, known.map(String));
      if (meant !== undefined)
        throw new SourceError(`Invalid type of the column ${column}: ${type}; did you mean ${meant}?`);
    }
  }
  throw new SourceError(
    `Invalid type of the column ${column}: ${type}; use a DuckDB type, such as VARCHAR or DECIMAL(10,2)`,
  );
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

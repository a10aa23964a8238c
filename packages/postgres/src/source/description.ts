import type { ParameterDescription } from "@quern/adapter";
import type { Client, Connection, FieldDef, Submittable } from "pg";
import type { CatalogType, TypePart } from "./catalog-type.ts";
import { type SourceColumn, sourceColumn } from "./columns.ts";
import { sourceError } from "./failure.ts";
import type { NumberedStatement } from "./parameters.ts";

interface PreparedStatement {
  readonly fields: readonly FieldDef[];
  readonly parameterTypes: readonly number[];
}

export interface DescribedStatement {
  readonly columns: readonly SourceColumn[];
  readonly parameters: readonly ParameterDescription[];
  /** Oids of the types of the parameters. */
  readonly parameterTypes: readonly number[];
}

/**
 * Returns the columns and parameters of a statement, which is parsed and not executed.
 * @throws {StatementError} with the position in the statement of the caller
 */
export async function describeStatement(client: Client, statement: NumberedStatement): Promise<DescribedStatement> {
  const { fields, parameterTypes } = await prepare(client, statement.text).catch((error: unknown) => {
    throw sourceError(error, statement);
  });
  const columns = await catalogTypes(
    client,
    fields.map(({ dataTypeID, dataTypeModifier }) => [dataTypeID, dataTypeModifier]),
  );
  const parameters = await catalogTypes(
    client,
    parameterTypes.map((oid) => [oid, -1]),
  );
  return {
    columns: fields.map(({ name }, index) => sourceColumn(name, columns[index] as CatalogType)),
    parameters: statement.names.map((name, index) => ({ name, type: parameters[index]?.name ?? null })),
    parameterTypes,
  };
}

/**
 * Returns the EXPLAIN of a statement that PostgreSQL has parsed by itself. The statement is a subquery, as in a run, because
 * PostgreSQL refuses a WITH that writes there; the planner removes the subquery.
 */
export function explained({ text, names, origin }: NumberedStatement, explain: string): NumberedStatement {
  const open = `${explain} SELECT * FROM (\n`;
  return {
    text: `${open}${text}\n) AS q`,
    names,
    origin: (offset) => (offset < open.length ? 0 : origin(offset - open.length)),
  };
}

/** Parses and describes a statement by the extended protocol, which refuses several statements in one text. */
function prepare(client: Client, text: string): Promise<PreparedStatement> {
  return new Promise((resolve, reject) => {
    let fields: readonly FieldDef[] = [];
    let parameterTypes: readonly number[] = [];
    let failure: Error | undefined;
    const noteParameters = ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }): void => {
      parameterTypes = dataTypeIDs;
    };
    const description: Submittable & Record<string, unknown> = {
      submit(connection: Connection) {
        connection.once("parameterDescription", noteParameters);
        connection.parse({ name: "", text, types: [] }, true);
        connection.describe({ type: "S", name: "" }, true);
        connection.sync();
      },
      handleRowDescription(message: { readonly fields: readonly FieldDef[] }) {
        ({ fields } = message);
      },
      handleError(error: Error, connection: Connection) {
        failure = error;
        connection.off("parameterDescription", noteParameters);
        reject(error);
      },
      handleReadyForQuery() {
        if (failure === undefined) resolve({ fields, parameterTypes });
      },
    };
    client.query(description);
  });
}

/** Returns the types with the given oids and modifiers, in their order. */
export async function catalogTypes(
  client: Client,
  given: readonly (readonly [oid: number, mod: number])[],
  depth = 0,
): Promise<readonly CatalogType[]> {
  if (given.length === 0) return [];
  const { rows } = await client.query<CatalogType>(
    `WITH RECURSIVE given AS (SELECT * FROM unnest($1::oid[], $2::int[]) WITH ORDINALITY AS g(oid, mod, position)),
       base AS (
         SELECT position, oid, mod FROM given
         UNION ALL
         SELECT b.position, t.typbasetype, t.typtypmod FROM base b JOIN pg_type t ON t.oid = b.oid WHERE t.typtype = 'd'
       )
     SELECT format_type(g.oid, g.mod) AS name, t.oid::int8::int4 AS oid, b.mod, t.typtype::text AS form,
       t.typcategory = 'A' OR t.oid = 'record[]'::regtype AS "isArray"
     FROM given g JOIN base b USING (position) JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd'
     ORDER BY g.position`,
    [given.map(([oid]) => oid), given.map(([, mod]) => mod)],
  );
  return withParts(client, rows, depth);
}

/** Nested types of which the parts are known. PostgreSQL's JSON of others is as it writes it. */
const maxDepth = 10;

/** Adds the elements of arrays and the attributes of composite types. */
async function withParts(
  client: Client,
  types: readonly CatalogType[],
  depth: number,
): Promise<readonly CatalogType[]> {
  const nested = types.filter(({ isArray, form }) => isArray || form === "c").map(({ oid }) => oid);
  if (nested.length === 0 || depth >= maxDepth) return types;
  const { rows } = await client.query<{ whole: number; name: string; oid: number; mod: number }>(
    `SELECT t.oid::int8::int4 AS whole, a.attname AS name, a.atttypid::int8::int4 AS oid, a.atttypmod AS mod, a.attnum AS number
     FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE t.oid = ANY($1::oid[]) AND t.typtype = 'c'
     UNION ALL
     SELECT oid::int8::int4, '', typelem::int8::int4, -1, 1 FROM pg_type
     WHERE oid = ANY($1::oid[]) AND typtype <> 'c' AND typelem <> 0 AND typelem <> 'record'::regtype ORDER BY whole, number`,
    [[...new Set(nested)]],
  );
  const found = await catalogTypes(
    client,
    rows.map(({ oid, mod }) => [oid, mod]),
    depth + 1,
  );
  const parts = new Map<number, TypePart[]>();
  for (const [index, { whole, name }] of rows.entries())
    parts.set(whole, [...(parts.get(whole) ?? []), { name, type: found[index] as CatalogType }]);
  return types.map((type) => ({ ...type, parts: parts.get(type.oid) }));
}

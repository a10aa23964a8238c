import { zstdCompressSync } from "node:zlib";
import {
  type Description,
  inSlices,
  isStatementError,
  type Source,
  type SourceTable,
  type TableColumn,
} from "@quern/adapter";
import { parseAddress } from "./address.ts";
import { textLiteral, withMarks } from "./dialect/parameters.ts";
import { kindOf } from "./protocol/column-type.ts";
import type { Connection } from "./protocol/connection.ts";
import { startQuery } from "./protocol/query.ts";
import { sessionHeaders } from "./session.ts";

/** Length from which a statement in a header is compressed, because servers limit their headers. */
const longHeader = 2_000;

/** Returns the columns and parameters of a statement, which Trino analyzes and does not run. */
export async function describeStatement(
  connection: Connection,
  sql: string,
  signal: AbortSignal,
): Promise<Description> {
  const { text, names } = await inSlices(withMarks(sql));
  const headers = { "x-trino-prepared-statement": `quern=${encodeURIComponent(headerText(text))}` };
  const output = await rowsOf(connection, "DESCRIBE OUTPUT quern", signal, headers);
  const input = await rowsOf(connection, "DESCRIBE INPUT quern", signal, headers);
  return {
    columns: output.map(([name = "", , , , type = ""]) => ({ name, kind: kindOf(type), engineType: type })),
    parameters: parametersOf(input, names),
  };
}

/** Returns each parameter once, numbered ones in their order. */
function parametersOf(input: readonly (readonly string[])[], names: readonly string[]): Description["parameters"] {
  const types = new Map<string, string>();
  for (const [position, type = ""] of input) {
    const name = names[Number(position)] ?? String(Number(position) + 1);
    types.set(name, types.get(name) ?? type);
  }
  return [...types]
    .toSorted(([a], [b]) => Number(a) - Number(b) || 0)
    .map(([name, type]) => ({ name, type: type === "unknown" ? null : type }));
}

function headerText(sql: string): string {
  return sql.length < longHeader ? sql : `$zstd:${zstdCompressSync(sql).toString("base64url")}`;
}

/** Returns statements that fail if a catalog or the schema of the address does not exist. `SELECT 1` needs neither. */
export function checkStatements(source: Source): readonly string[] {
  const { catalog, schema, catalogs } = parseAddress(source);
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const ofCatalogs = [...(catalogs ?? [])].map((each) => `SHOW SCHEMAS FROM ${quoted(each)} LIKE ''`);
  const ofSchema =
    catalog === undefined || schema === undefined
      ? []
      : [`SHOW TABLES FROM ${quoted(catalog)}.${quoted(schema)} LIKE ''`];
  return ["SELECT 1", ...ofCatalogs, ...ofSchema];
}

/** Lists the tables of the schema or catalog of the address, or those that statements may name, with their columns. */
export async function listTables(connection: Connection, signal: AbortSignal): Promise<readonly SourceTable[]> {
  const { catalog, schema, catalogs } = connection.address;
  const listed = catalog === undefined ? [...(catalogs ?? [])] : [catalog];
  const conditions = [
    "table_schem <> 'information_schema'",
    // The gate refuses this catalog unless the address names it.
    ...(listed.length === 0 ? ["table_cat <> 'system'"] : [`table_cat IN (${listed.map(textLiteral).join(", ")})`]),
    ...(schema === undefined ? [] : [`table_schem = ${textLiteral(schema)}`]),
  ];
  const sql = `SELECT table_cat, table_schem, table_name, column_name, type_name, is_nullable, coalesce(remarks, '')
    FROM system.jdbc.columns WHERE ${conditions.join(" AND ")} ORDER BY table_cat, table_schem, table_name, ordinal_position`;
  const columns = await rowsOf(connection, sql, signal);
  const comments = await tableComments(connection, conditions, signal);
  const tables = new Map<string, SourceTable & { readonly columns: TableColumn[] }>();
  for (const [inCatalog = "", inSchema = "", name = "", column = "", type = "", nullable, comment = ""] of columns) {
    const key = JSON.stringify([inCatalog, inSchema, name]);
    const ofTable = comments.get(key);
    const table = tables.get(key) ?? {
      catalog: inCatalog,
      schema: inSchema,
      name,
      ...(ofTable !== undefined && { comment: ofTable }),
      columns: [],
    };
    tables.set(key, table);
    table.columns.push({
      name: column,
      kind: kindOf(type),
      engineType: type,
      nullable: nullable !== "NO",
      ...(comment !== "" && { comment }),
    });
  }
  return [...tables.values()];
}

/** Returns the comments of tables, by the names of the table as JSON. */
async function tableComments(
  connection: Connection,
  conditions: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names: Readonly<Record<string, string>> = { table_cat: "catalog_name", table_schem: "schema_name" };
  const condition = conditions.map((each) => each.replace(/^\w+/, (name) => names[name] ?? name)).join(" AND ");
  const sql = `SELECT catalog_name, schema_name, table_name, comment FROM system.metadata.table_comments
    WHERE comment <> '' AND ${condition}`;
  const rows = await rowsOf(connection, sql, signal).catch((error: unknown) => {
    // A user may be allowed to see the tables, and not their comments.
    if (isStatementError(error)) return [];
    throw error;
  });
  return new Map(
    rows.map(([catalog, schema, name, comment = ""]) => [JSON.stringify([catalog, schema, name]), comment]),
  );
}

/** Runs a query of the adapter itself, and returns its values as text. */
async function rowsOf(
  connection: Connection,
  sql: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly string[])[]> {
  const query = await startQuery(
    connection,
    { sql, headers: { ...sessionHeaders(connection.address), ...headers } },
    signal,
  );
  try {
    const rows: string[][] = [];
    for await (const data of query.data()) {
      const page: unknown = JSON.parse(Buffer.from(data).toString());
      if (Array.isArray(page)) for (const row of page) rows.push(Array.isArray(row) ? row.map(String) : []);
    }
    return rows;
  } finally {
    await query.release();
  }
}

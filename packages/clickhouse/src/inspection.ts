import type { Description, SourceTable, TableColumn } from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import type { Admitted } from "./dialect/gate.ts";
import { boundParameters, withSampleValues } from "./dialect/parameters.ts";
import { formOf, isNullable } from "./protocol/column-type.ts";
import type { Connection, Request } from "./protocol/connection.ts";
import { rowsOf } from "./protocol/query.ts";
import { querySettings } from "./session.ts";

/** Time for a query of the adapter itself, in seconds. */
const inspectionSeconds = 30;
const settings = querySettings(inspectionSeconds);

/**
 * Returns the columns and parameters of a statement. A query and an EXPLAIN ANALYZE do not run. SHOW, DESCRIBE and other
 * forms of EXPLAIN do, because they read no rows.
 */
export async function describeStatement(
  connection: Connection,
  { sql, parameters, form, hasRowNames }: Admitted,
  given: Parameters | null,
  signal: AbortSignal,
): Promise<Description> {
  const values = given === null ? {} : boundParameters(parameters, given);
  const analyzed = given === null ? withSampleValues(sql, parameters) : sql;
  const found = await columnsOf({ sql: analyzed, settings, parameters: values });
  return {
    columns: found.map(({ name, type }) => ({ name, kind: formOf(type).kind, engineType: type })),
    parameters: [...new Map(parameters.map(({ name, type }) => [name, { name, type }])).values()],
    hasRowNames,
  };

  async function columnsOf(request: Request): Promise<readonly { readonly name: string; readonly type: string }[]> {
    if (form === "explainAnalyze") return [{ name: "explain", type: "String" }];
    // SHOW, DESCRIBE and EXPLAIN read no rows, and with readonly=1 cannot be a part of another query.
    if (form === "inspection") return (await connection.run(request, signal)).columns;
    const rows = await rowsOf(connection, { ...request, sql: `DESCRIBE TABLE (${request.sql})` }, signal);
    return rows.map(([name = "", type = ""]) => ({ name, type }));
  }
}

/** Lists the tables of the database of the address, or those of all databases, with their columns. */
export async function listTables(connection: Connection, signal: AbortSignal): Promise<readonly SourceTable[]> {
  const { database } = connection;
  const condition =
    database === undefined
      ? "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')"
      : "database = {database:String}";
  const parameters = database === undefined ? {} : { database };
  const rows = (sql: string) => rowsOf(connection, { sql, settings, parameters }, signal);
  const tables = new Map<string, SourceTable & { readonly columns: TableColumn[] }>();
  for (const [schema = "", name = "", comment = "", keyText = "", rowEstimate = ""] of await rows(
    `SELECT database, name, comment, primary_key, ifNull(toString(total_rows), '') FROM system.tables WHERE ${condition}`,
  )) {
    const primaryKey = keyColumns(keyText);
    tables.set(JSON.stringify([schema, name]), {
      catalog: "",
      schema,
      name,
      ...(comment !== "" && { comment }),
      columns: [],
      ...(primaryKey !== undefined && { primaryKey }),
      ...(rowEstimate !== "" && { rowEstimate: Number(rowEstimate) }),
    });
  }
  for (const [schema = "", name = "", column = "", type = "", comment = ""] of await rows(
    `SELECT database, table, name, type, comment FROM system.columns WHERE ${condition} ORDER BY database, table, position`,
  ))
    tables.get(JSON.stringify([schema, name]))?.columns.push({
      name: column,
      kind: formOf(type).kind,
      engineType: type,
      nullable: isNullable(type),
      ...(comment !== "" && { comment }),
    });
  return [...tables.values()].filter(({ columns }) => columns.length > 0);
}

/** Returns the columns of a primary key such as `id, day`; undefined for one with expressions, such as `toDate(at)`. */
function keyColumns(text: string): readonly string[] | undefined {
  const parts = text.split(", ").map((part) => /^(?:([A-Za-z_]\w*)|`([^`\\]+)`)$/.exec(part));
  const names = parts.map((part) => part?.[1] ?? part?.[2]);
  return names.every((name) => name !== undefined) ? names : undefined;
}

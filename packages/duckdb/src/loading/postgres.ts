import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type Origin, SourceError, type TableLoad } from "../sources/origin.ts";
import { columnTypes } from "./column-types.ts";
import { createTable, type Target } from "./engine.ts";
import { columnReading, type PostgresColumn } from "./postgres-column.ts";

type PostgresOrigin = Extract<Origin, { kind: "postgres" }>;

/**
 * Loads one table or view, or all tables and views of a schema, in one read-only transaction, so that they are
 * consistent with each other.
 */
export async function loadPostgres(
  target: Target,
  { schema, table }: TableLoad,
  origin: PostgresOrigin,
): Promise<void> {
  const client = new pg.Client({ connectionString: origin.url, application_name: "quern" });
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionError(error, origin) ?? error;
    });
    // Sets formats that the engine can read.
    await client.query("SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC'");
    await client.query("SET bytea_output = 'hex'; SET extra_float_digits = 3");
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const names = origin.table === undefined ? await tablesIn(client, origin.schema) : [origin.table];
    if (names.length === 0)
      throw new SourceError(
        `No table found: schema ${origin.schema} of ${origin.url}; name another schema with --schema`,
      );
    for (const name of names)
      await loadTable(target, client, { origin, name, schema, table: table ?? name }).catch((error: unknown) => {
        if (error instanceof pg.DatabaseError) error.message += ` (table ${origin.schema}.${name})`;
        throw error;
      });
    await client.query("COMMIT");
  } catch (error) {
    throw error instanceof pg.DatabaseError || isNetworkError(error)
      ? new SourceError(`PostgreSQL at ${origin.url}: ${error.message}`, { cause: error })
      : error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the error of a refused connection whose text says nothing about the way to correct it. */
function connectionError(error: unknown, { url }: PostgresOrigin): SourceError | undefined {
  const { message } = error instanceof Error ? error : { message: "" };
  const at = `PostgreSQL at ${new URL(url).host}`;
  const reason = /^SASL.*password must be/.test(message)
    ? `${at} asks for a password; set PGPASSWORD`
    : /^The server does not support SSL/.test(message)
      ? `${at} does not support TLS; change sslmode in the address`
      : undefined;
  return reason === undefined ? undefined : new SourceError(reason, { cause: error });
}

interface TableCopy {
  readonly origin: PostgresOrigin;
  readonly name: string;
  readonly schema: string | null;
  readonly table: string;
}

/** Bytes of CSV that the engine reads at once, and of the longest row. Longer rows would be missing (duckdb#25825). */
const csvBufferBytes = 33_554_432;

/** Loads a table through a temporary CSV file, which the engine reads with all processors. */
async function loadTable(target: Target, client: pg.Client, { origin, name, schema, table }: TableCopy): Promise<void> {
  const { connection } = target;
  const columns = await columnsOf(client, origin.schema, name);
  if (columns.length === 0)
    throw new SourceError(`Table not found: ${origin.schema}.${name} at ${origin.url}; check --table and --schema`);
  const given = await columnTypes(connection, new Map(columns.map((column) => [column.name, ""])), origin);
  const readings = columns.map((column) => columnReading(column, given.get(column.name)?.type || undefined));
  const path = join(target.workDirectory, "copied.csv");
  const selected = readings.map(({ copied }) => copied).join(", ");
  const query = `COPY (SELECT ${selected} FROM ${quotedName(origin.schema, name)}) TO STDOUT (FORMAT csv)`;
  const file = createWriteStream(path);
  // The engine takes one off the start of CSV. Without this one, it would be that of the first cell.
  file.write("\uFEFF");
  const copied = client.query(copyTo(query));
  await pipeline(copied, file);
  try {
    const read = columns.map((_, index) => `'c${index}': '${readings[index]?.csvType}'`).join(", ");
    const csv = `read_csv(${quotedText(path)}, header = false, auto_detect = false, delim = ',', quote = '"', escape = '"',
      nullstr = '', allow_quoted_nulls = false, new_line = '\\n', buffer_size = ${csvBufferBytes}, max_line_size = ${csvBufferBytes},
      columns = {${read}})`;
    const cells: string[] = [];
    for (const [index, { value }] of readings.entries()) cells.push(await value(connection, csv, `c${index}`));
    const values = cells.map((cell, index) => `${cell} AS ${quotedName(columns[index]?.name ?? "")}`);
    await createTable(target, schema, table, `SELECT ${values.join(", ")} FROM ${csv}`).catch(async (error) => {
      const at = await failingColumn(connection, csv, cells);
      throw at === undefined ? error : columnError(`${origin.schema}.${name}`, columns[at]?.name ?? "", error);
    });
    const tableName = quotedName(target.catalog, schema ?? "", table);
    const [[stored] = []] = (await connection.runAndReadAll(`SELECT count(*) FROM ${tableName}`)).getRows();
    if (Number(stored) !== copied.rowCount)
      throw new Error(
        `The table ${origin.schema}.${name} has ${stored} rows, but PostgreSQL has sent ${copied.rowCount}.`,
      );
  } finally {
    await rm(path, { force: true });
  }
}

/** Returns the index of the first column that the engine cannot convert. */
async function failingColumn(
  connection: DuckDBConnection,
  csv: string,
  cells: readonly string[],
): Promise<number | undefined> {
  for (const [index, cell] of cells.entries()) {
    const fails = await connection.run(`SELECT count(${cell}) FROM ${csv}`).then(
      () => false,
      () => true,
    );
    if (fails) return index;
  }
  return undefined;
}

function columnError(table: string, column: string, cause: unknown): SourceError {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  const reason = line.replace(/^[A-Z][\w ]* Error: /, "").slice(0, 300);
  return new SourceError(
    `Column ${column} of the table ${table} of PostgreSQL: ${reason}; load it as text with --type ${column}=VARCHAR`,
    { cause },
  );
}

async function tablesIn(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

async function columnsOf(client: pg.Client, schema: string, table: string): Promise<readonly PostgresColumn[]> {
  const { rows } = await client.query<PostgresColumn>(
    `SELECT a.attname AS name, format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid),
       CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END) AS type
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_type t ON t.oid = a.atttypid
     WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [schema, table],
  );
  return rows;
}

function isNetworkError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^E[A-Z]+$/.test(String(error.code));
}

import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { RunAs } from "@quern/adapter";
import { nearestWord } from "@quern/protocol/nearest-word";
import { quotedText } from "../engine/quoting.ts";
import { isEngineCatalog } from "../sources/data-directory-sources.ts";
import { type CsvOptions, type FileOptions, type Origin, SourceError, type TableLoad } from "../sources/origin.ts";
import { withEngine } from "./engine.ts";
import { filesOf, typeFlags, withoutEnding } from "./files.ts";

/** Load as the operator requests it: the arguments and flags of `quern sources add`. */
export interface LoadRequest extends FileOptions {
  /**
   * File, directory or glob of files of one format, address of an object or folder of objects such as
   * `s3://bucket/orders.parquet`, DuckDB file, or URL of a PostgreSQL database.
   */
  readonly from: string;
  /**
   * Name in the source. For one table: `table`, `schema.table` or `catalog.schema.table`. For all tables of a PostgreSQL
   * schema: `schema` or `catalog.schema`. For all tables of a DuckDB file: `catalog`.
   * @default derived from the origin
   */
  readonly as?: string | undefined;
  /** Table of a database, `table` or `schema.table`. @default all tables */
  readonly table?: string | undefined;
  /** Schema of a PostgreSQL database, or of `table` in a DuckDB file. @default "public", or "main" for a DuckDB file */
  readonly schema?: string | undefined;
  /** Identity under which statements on the source run. @default the present setting; "fixed" for a new source */
  readonly runAs?: RunAs | undefined;
}

/** Names of a load in its source. */
type LoadName = Pick<TableLoad, "catalog" | "schema" | "table">;

const sourceName = /^[A-Za-z0-9][\w-]{0,62}$/;

/** Returns a name if it is valid for a source. @throws {SourceError} if it is not */
export function checkSourceName(name: string): string {
  if (sourceName.test(name) && !isEngineCatalog(name)) return name;
  throw new SourceError(
    `Invalid name of a source: ${JSON.stringify(name)}; use at most 63 letters, digits, - and _, begin with a letter or ` +
      "digit, and do not use memory, system or temp",
  );
}

/** Returns the load that a request describes. @throws {SourceError} if the request is invalid or its file is missing */
export async function parseLoadRequest(source: string, request: LoadRequest, loadedAt: string): Promise<TableLoad> {
  const origin = await originOf(request);
  return { ...(await loadName(source, request, origin)), origin, loadedAt };
}

async function originOf({ from, table, schema, types, allText, csv }: LoadRequest): Promise<Origin> {
  const parts = table?.split(".").reverse() ?? [];
  if (parts.length > 2) throw new SourceError(`Invalid --table: ${table}; use table or schema.table`);
  const [tableName, tableSchema = schema] = parts;
  checkScheme(from);
  const isPostgres = postgresScheme.test(from);
  const isDuckDB = /\.(duckdb|ddb|db)$/i.test(from);
  if (isDuckDB && (types !== undefined || allText === true))
    throw new SourceError(`Invalid flags ${typeFlags}: a DuckDB file has types of its own; remove the flags`);
  if (isPostgres && types !== undefined && tableName === undefined)
    throw new SourceError("Invalid flag --type: it names a column of one table; add --table");
  if ((isPostgres || isDuckDB) && csv !== undefined)
    throw new SourceError(`Invalid flags of CSV files: ${isPostgres ? "a database" : from} is none; remove the flags`);
  const typed = { ...(types === undefined ? {} : { types }), ...(allText === true ? { allText } : {}) };
  if (isPostgres) {
    const named = tableName === undefined ? {} : { table: tableName };
    return { kind: "postgres", url: withoutPassword(from), schema: tableSchema ?? "public", ...named, ...typed };
  }
  const path = resolve(from);
  const isObjects = /^s3:/i.test(from);
  if (isDuckDB && !isObjects) {
    if (tableName === undefined && schema !== undefined)
      throw new SourceError(
        `Invalid flag --schema: ${schema}; a DuckDB file is loaded with all its schemas, so add --table or remove the flag`,
      );
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile() !== true) throw new SourceError(`File not found: ${path}; name a DuckDB file`);
    if (tableName === undefined) return { kind: "duckdb", path };
    return { kind: "duckdb", path, schema: tableSchema ?? "main", table: tableName };
  }
  if (table !== undefined || schema !== undefined)
    throw new SourceError(
      "Invalid flags --table and --schema: files have neither; remove the flags, and name the table with --as",
    );
  const options = {
    ...typed,
    ...(csv === undefined ? {} : { csv: checkedCsv(csv) }),
  };
  if (isObjects) return { kind: "objects", url: withoutCredentials(from), ...options };
  const { format } = await filesOf(path);
  if (csv !== undefined && format !== "csv")
    throw new SourceError(`Invalid flags of CSV files: ${path} has the format ${format}; remove the flags`);
  return { kind: "files", path, ...options };
}

/** Returns the options if they are valid. @throws {SourceError} */
function checkedCsv(csv: CsvOptions): CsvOptions {
  const { delimiter, quote, encoding } = csv;
  if (delimiter !== undefined && !/^[\t -~]$/.test(delimiter))
    throw new SourceError(
      `Invalid --delimiter: ${JSON.stringify(delimiter)}; use one ASCII character, or \\t for a tab`,
    );
  if (quote !== undefined && !/^[!-~]?$/.test(quote))
    throw new SourceError(`Invalid --quote: ${JSON.stringify(quote)}; use one ASCII character, or '' for none`);
  if (quote !== undefined && quote === delimiter)
    throw new SourceError(`Invalid --quote: ${JSON.stringify(quote)} is the delimiter; use another character`);
  if (csv.escape !== undefined && (!/^[!-~]$/.test(csv.escape) || csv.escape === delimiter || quote === ""))
    throw new SourceError(
      `Invalid --escape: ${JSON.stringify(csv.escape)}; use one ASCII character other than the delimiter, for fields with quotes`,
    );
  if (encoding !== undefined)
    try {
      new TextDecoder(encoding);
    } catch {
      throw new SourceError(`Unknown --encoding: ${encoding}; use a name such as latin1, windows-1252 or utf-16le`);
    }
  return csv;
}

const postgresScheme = /^postgres(ql)?:/i;
/** Schemes for messages. The addresses of Trino and ClickHouse are for data sources that are queried in place. */
const schemes = ["postgres", "postgresql", "s3", "trino", "clickhouse"];

/**
 * Refuses an address of an unknown kind, which is otherwise taken for a path. The message has the scheme only, since the
 * rest may have a password.
 */
function checkScheme(from: string): void {
  // A path may begin with a drive letter, and have a colon.
  const scheme = /^([a-z][a-z\d+.-]+):(?:\/\/|.*:.*@)/i.exec(from)?.[1];
  if (scheme === undefined || /^(postgres(ql)?|s3)$/i.test(scheme)) return;
  const nearest = nearestWord(scheme, schemes);
  const advice = nearest === undefined ? "" : `; did you mean ${nearest}://?`;
  throw new SourceError(
    `Unknown kind of address: ${scheme}://…; expected a path, s3:// or postgres://, or --kind and the address of a database to query in place${advice}`,
  );
}

/** Parameters of an address that could have a secret. */
const secretName = /password|secret|token|key|credential|signature/i;

function withoutCredentials(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.host === "")
    throw new SourceError("Invalid address of objects; use s3://bucket/path/file.parquet, or s3://bucket/folder");
  if (!isDecodable(url.pathname))
    throw new SourceError(
      "Invalid address of objects: it has a % without two hexadecimal digits; write %25 for a percent sign",
    );
  const hasSecret = [...url.searchParams.keys()].some((name) => secretName.test(name));
  if (url.username === "" && url.password === "" && !hasSecret) return text;
  throw new SourceError(
    "Invalid address of objects: it has credentials, which are not stored; remove them and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:\/\/./i.test(text))
    throw new SourceError("Invalid URL of a PostgreSQL database; write it as postgres://user@host:port/database");
  const hasSecret = [...url.searchParams.keys()].some((name) => /password/i.test(name));
  if (url.password === "" && !hasSecret) return text;
  throw new SourceError(
    "Invalid URL of a PostgreSQL database: it has a password, which is not stored; remove it and set PGPASSWORD",
  );
}

async function loadName(source: string, { as }: LoadRequest, origin: Origin): Promise<LoadName> {
  const parts = as?.split(".") ?? [];
  if (parts.some((part) => part === "" || /[\0"]/.test(part)))
    throw new SourceError(`Invalid --as: ${as}; its parts must not be empty or contain double quotes`);
  const isWhole = (origin.kind === "duckdb" || origin.kind === "postgres") && origin.table === undefined;
  if (isWhole && origin.kind === "duckdb") {
    const [catalog = source] = atMost(1, parts, as, "catalog");
    return { catalog: checkCatalog(catalog), schema: null, table: null };
  }
  if (isWhole) {
    const [schema = "main", catalog = source] = atMost(2, parts, as, "schema or catalog.schema").reverse();
    return { catalog: checkCatalog(catalog), schema, table: null };
  }
  const [table = await defaultTable(origin), schema = "main", catalog = source] = atMost(
    3,
    parts,
    as,
    "table, schema.table or catalog.schema.table",
  ).reverse();
  return { catalog: checkCatalog(catalog), schema, table };
}

function atMost(count: number, parts: string[], as: string | undefined, form: string): string[] {
  if (parts.length <= count) return parts;
  throw new SourceError(`Invalid --as: ${as}; use ${form} for this origin`);
}

function checkCatalog(name: string): string {
  if (!isEngineCatalog(name)) return name;
  throw new SourceError(`Invalid name of a catalog: ${name}; the engine reserves it, choose another one with --as`);
}

async function defaultTable(origin: Origin): Promise<string> {
  if (origin.kind === "files") return tableNameOf(origin.path);
  if (origin.kind === "objects") return tableNameOf(decodeURIComponent(new URL(origin.url).pathname));
  return origin.table ?? "";
}

/**
 * Returns the name of the table of a file, directory or glob. SQL accepts it without quotes: `seattle-weather.csv`
 * becomes `seattle_weather`.
 * @throws {SourceError} if the name of the file or directory has no letter or digit
 */
async function tableNameOf(path: string): Promise<string> {
  const name = withoutEnding(basename(path.replace(/[/\\]\*.*$/, "")))
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/^[^\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+$/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "_");
  if (!/[\p{L}\p{N}]/u.test(name))
    throw new SourceError(
      `No name for the table: the last name in ${path} has no letter or digit; name the table with --as`,
    );
  if (/^\p{N}/u.test(name)) return `_${name}`;
  return (await isReserved(name)) ? `${name}_` : name;
}

/** Returns true for keywords that the engine does not accept as the name of a table. */
async function isReserved(word: string): Promise<boolean> {
  return withEngine(join(tmpdir(), `quern-sources-${process.pid}`), async (connection) => {
    const reader = await connection.runAndReadAll(`SELECT 1 FROM duckdb_keywords()
      WHERE keyword_category IN ('reserved', 'type_function') AND keyword_name = ${quotedText(word)}`);
    return reader.currentRowCount > 0;
  });
}

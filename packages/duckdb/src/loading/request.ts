import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { RunAs } from "@quern/adapter";
import { quotedText } from "../engine/quoting.ts";
import { isEngineCatalog } from "../sources/data-directory-sources.ts";
import { type ColumnTypes, type Origin, SourceError, type TableLoad } from "../sources/origin.ts";
import { withEngine } from "./engine.ts";
import { globsOf, typeFlags, withoutEnding } from "./files.ts";

/** What is to be loaded, as the operator says it. */
export interface LoadRequest extends ColumnTypes {
  /** A file, a folder or glob of files of one format, a DuckDB file, or the URL of a PostgreSQL database. */
  readonly from: string;
  /** `table`, `schema.table` or `catalog.schema.table`; for all tables of a database `schema`, or `catalog.schema`. */
  readonly as?: string | undefined;
  /** The table of a database, `table` or `schema.table`; all of them where left out. */
  readonly table?: string | undefined;
  /** The schema of a PostgreSQL database; `public` where left out. */
  readonly schema?: string | undefined;
  /** As whom statements on the source run from now on; as before where left out, and `fixed` on a new one. */
  readonly runAs?: RunAs | undefined;
}

type Place = Pick<TableLoad, "catalog" | "schema" | "table">;

const sourceName = /^[A-Za-z0-9][\w-]{0,62}$/;

/** @throws {SourceError} */
export function checkSourceName(name: string): string {
  if (sourceName.test(name) && !isEngineCatalog(name)) return name;
  throw new SourceError(
    `${JSON.stringify(name)} is no name of a source; letters, digits, - and _ are, and not memory, system or temp`,
  );
}

/** @throws {SourceError} where something is missing, or says nothing the service can load */
export async function parseLoadRequest(source: string, request: LoadRequest, loadedAt: string): Promise<TableLoad> {
  const origin = await originOf(request);
  return { ...(await placeOf(source, request, origin)), origin, loadedAt };
}

async function originOf({ from, table, schema, types, allText }: LoadRequest): Promise<Origin> {
  const only = table?.split(".").reverse() ?? [];
  if (only.length > 2) throw new SourceError(`--table is a table or schema.table, not ${table}`);
  const [tableName, tableSchema = schema] = only;
  const isPostgres = /^postgres(ql)?:/.test(from);
  const isDuckDB = /\.(duckdb|ddb|db)$/i.test(from);
  if ((isPostgres || isDuckDB) && (types !== undefined || allText === true))
    throw new SourceError(`${typeFlags} are for CSV and JSON files; a database has types of its own`);
  if (isPostgres) {
    const named = tableName === undefined ? {} : { table: tableName };
    return { kind: "postgres", url: withoutPassword(from), schema: tableSchema ?? "public", ...named };
  }
  const path = resolve(from);
  if (isDuckDB) {
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile() !== true) throw new SourceError(`there is no file ${path}`);
    if (tableName === undefined) return { kind: "duckdb", path };
    return { kind: "duckdb", path, schema: tableSchema ?? "main", table: tableName };
  }
  if (table !== undefined || schema !== undefined)
    throw new SourceError("--table and --schema are for databases; the table of files is named by --as");
  await globsOf(path);
  return {
    kind: "files",
    path,
    ...(types === undefined ? {} : { types }),
    ...(allText === true ? { allText } : {}),
  };
}

function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null) throw new SourceError(`${text.replace(/:[^:@/]*@/, ":…@")} is no URL of a PostgreSQL database`);
  if (url.password === "" && !url.searchParams.has("password")) return text;
  throw new SourceError("a password is not kept with a source; leave it out of the URL and set PGPASSWORD");
}

async function placeOf(source: string, { as }: LoadRequest, origin: Origin): Promise<Place> {
  const parts = as?.split(".") ?? [];
  if (parts.some((part) => part === "" || /[\0"]/.test(part))) throw new SourceError(`--as has no use for ${as}`);
  const isWhole = origin.kind !== "files" && origin.table === undefined;
  if (isWhole && origin.kind === "duckdb") {
    const [catalog = source] = exactly(1, parts, as, "the catalog that a DuckDB file becomes");
    return { catalog: checkCatalog(catalog), schema: null, table: null };
  }
  if (isWhole) {
    const [schema = "main", catalog = source] = exactly(2, parts, as, "schema or catalog.schema").reverse();
    return { catalog: checkCatalog(catalog), schema, table: null };
  }
  const [table = await defaultTable(origin), schema = "main", catalog = source] = exactly(
    3,
    parts,
    as,
    "table, schema.table or catalog.schema.table",
  ).reverse();
  return { catalog: checkCatalog(catalog), schema, table };
}

function exactly(most: number, parts: string[], as: string | undefined, meaning: string): string[] {
  if (parts.length <= most) return parts;
  throw new SourceError(`--as is ${meaning} here, not ${as}`);
}

function checkCatalog(name: string): string {
  if (!isEngineCatalog(name)) return name;
  throw new SourceError(`no catalog can be named ${name}; the engine has one`);
}

async function defaultTable(origin: Origin): Promise<string> {
  return origin.kind === "files" ? tableNameOf(origin.path) : (origin.table ?? "");
}

/**
 * Returns a name for the table of a file, a folder or a glob that SQL takes without quotes: `seattle-weather.csv` is
 * `seattle_weather`.
 * @throws {SourceError} when the path has no letter or digit to name it after
 */
export async function tableNameOf(path: string): Promise<string> {
  const name = withoutEnding(basename(path.replace(/[/\\]\*.*$/, "")))
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/^[^\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+$/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "_");
  if (!/[\p{L}\p{N}]/u.test(name))
    throw new SourceError(`no table can be named after ${path}; say what it is called with --as`);
  if (/^\p{N}/u.test(name)) return `_${name}`;
  return (await isReserved(name)) ? `${name}_` : name;
}

/** Tells whether the engine takes a word for a key word where it stands for a table. */
async function isReserved(word: string): Promise<boolean> {
  return withEngine(join(tmpdir(), `quern-sources-${process.pid}`), async (connection) => {
    const reader = await connection.runAndReadAll(`SELECT 1 FROM duckdb_keywords()
      WHERE keyword_category IN ('reserved', 'type_function') AND keyword_name = ${quotedText(word)}`);
    return reader.currentRowCount > 0;
  });
}

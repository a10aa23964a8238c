import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type SampleTable, sampleTables } from "./tables.ts";

// The package exports only the module in `build/`, neither its data nor its package.json.
const require = createRequire(import.meta.url);
const packageFolder = dirname(dirname(require.resolve("vega-datasets")));
/** Stored in the file. A file with another edition is rebuilt, so increase the number whenever the tables change. */
const edition = `vega-datasets ${packageVersion()}, edition 1`;

export interface LoadedSamples {
  readonly path: string;
  /** False if the file was already up to date. */
  readonly loaded: boolean;
}

/** Writes the sample data to `sources/samples.duckdb` of a data directory, where the service finds it. */
export async function loadSamples(
  dataDir: string,
  tables: readonly SampleTable[] = sampleTables,
): Promise<LoadedSamples> {
  const path = join(dataDir, "sources", "samples.duckdb");
  if (existsSync(path) && (await editionOf(path)) === edition) return { path, loaded: false };
  mkdirSync(dirname(path), { recursive: true });
  // A temporary directory, so that two loads do not collide, and the engine's files beside the database are removed
  // with it.
  const unfinished = mkdtempSync(`${path}.`);
  try {
    const database = join(unfinished, "samples.duckdb");
    await inDatabase(database, "READ_WRITE", async (connection) => {
      for (const table of tables) await loadTable(connection, table);
      await connection.run(`CREATE SCHEMA quern; CREATE VIEW quern.edition AS SELECT '${edition}' AS edition`);
      await connection.run("CHECKPOINT");
    });
    // The rename is atomic: readers see the old file or the new one.
    renameSync(database, path);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { path, loaded: true };
}

function packageVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const version: unknown = Reflect.get(Object(description), "version");
  if (typeof version !== "string") throw new Error(`${packageFolder} is no package with a version`);
  return version;
}

async function loadTable(connection: DuckDBConnection, table: SampleTable): Promise<void> {
  const { name, comment, reader, columns, orderBy } = table;
  const file = `'${join(packageFolder, "data", table.file).replaceAll("'", "''")}'`;
  const rows = `SELECT ${columns} FROM ${reader.replace("$file", file)}`;
  await connection.run(`CREATE TABLE ${name} AS ${rows} ORDER BY ${orderBy}`);
  await connection.run(`COMMENT ON TABLE ${name} IS '${comment.replaceAll("'", "''")}'`);
}

async function editionOf(path: string): Promise<unknown> {
  try {
    return await inDatabase(path, "READ_ONLY", async (connection) => {
      const reader = await connection.runAndReadAll("SELECT edition FROM quern.edition");
      return reader.getRows()[0]?.[0];
    });
  } catch {
    return undefined;
  }
}

async function inDatabase<T>(
  path: string,
  mode: "READ_ONLY" | "READ_WRITE",
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(path, { access_mode: mode });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

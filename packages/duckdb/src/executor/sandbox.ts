import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import type { Database } from "../sources/held-data.ts";
import { catalogCounter, createdFunctions, engineState } from "./engine-state.ts";

export interface EngineOptions {
  /** Directory of the process. Nothing outside it can be written. */
  readonly directory: string;
  readonly threads: number;
  readonly memoryMegabytes: number;
  readonly spillMegabytes: number;
}

/** Connection to a locked engine that one statement uses alone. */
export interface Sandbox {
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly outputDirectory: string;
  /** Directory of the process, and paths of the attached databases. Callers must not see them. */
  readonly servicePaths: readonly string[];
}

/** Engine that serves one statement after the other. Its first statement locks it to the databases of a source. */
export interface Engine {
  /** See {@link Sandbox.servicePaths}. */
  readonly servicePaths: readonly string[];
  /**
   * Returns a new connection for a statement. The first call attaches `databases` and locks the engine; later calls
   * have the same databases.
   */
  begin(databases: readonly Database[], sql: string): Promise<Sandbox>;
  /**
   * Closes the connection of the statement, removes its result, and opens the connection of the next statement.
   * @returns true if the next statement finds the engine and its directory as the first one did
   */
  finish(): Promise<boolean>;
  close(): void;
}

/** Only directory that the locked engine may write to, relative to the directory of the process. */
const outputFolder = "out";

/** Result of a statement, relative to the directory of the process, so that no text that the engine runs has a path of the service. */
export const resultFile = `${outputFolder}/result.parquet`;

const statementVariable = "quern_statement";

/** Opens an engine. It takes longer than a small statement, so a warm process does it before it gets a statement. */
export async function openEngine({ directory, ...options }: EngineOptions): Promise<Engine> {
  const outputDirectory = join(directory, outputFolder);
  const spillDirectory = join(directory, "spill");
  for (const path of [outputDirectory, spillDirectory]) mkdirSync(path, { recursive: true });
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads),
    memory_limit: `${options.memoryMegabytes}MB`,
    temp_directory: spillDirectory,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
    home_directory: directory,
    errors_as_json: "true",
  });
  let connection = await openConnection(instance);
  // Connections that are opened later inherit global settings only.
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  // The engine ignores this setting as an option of a new instance.
  await connection.run(`SET max_temp_directory_size = '${options.spillMegabytes}MB'`);
  const servicePaths = [directory];
  /** Statement that selects the catalog of the first database; undefined until the engine is locked. */
  let useSource: string | undefined;
  let stateWhenLocked: string | undefined;
  let counter = await catalogCounter(connection);
  await reconnect(); // the first query of the counter creates objects of its own
  const countOfConnection = await reconnect();

  /** Opens a connection in place of the current one. Returns the number of objects that were created meanwhile. */
  async function reconnect(): Promise<number> {
    connection.closeSync();
    connection = await openConnection(instance);
    const before = counter;
    counter = await catalogCounter(connection);
    return counter - before;
  }

  async function lock(databases: readonly Database[]): Promise<void> {
    for (const { name, path } of databases) {
      servicePaths.push(path);
      await connection.run(`ATTACH ${quotedText(path)} AS ${quotedName(name)} (READ_ONLY)`);
    }
    // Files are attached before external access is disabled, and `lock_configuration` comes after all other settings.
    await connection.run(`SET allowed_directories = [${quotedText(outputDirectory)}]`);
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
    const [first] = databases;
    useSource = first === undefined ? "" : `USE ${quotedName(first.name)}`;
    if (useSource !== "") await connection.run(useSource);
    stateWhenLocked = await engineState(connection, directory);
  }

  return {
    servicePaths,
    async begin(databases, sql) {
      if (useSource === undefined) await lock(databases);
      await connection.run(`SET VARIABLE ${statementVariable} = ${quotedText(sql)}`);
      return { connection, directory, outputDirectory, servicePaths };
    },
    async finish() {
      rmSync(join(directory, resultFile), { force: true });
      const created = await reconnect();
      if (useSource) await connection.run(useSource);
      // The engine itself creates some of its objects when a statement first uses them.
      if (created > countOfConnection && (await createdFunctions(connection)).length > 0) return false;
      return (await engineState(connection, directory)) === stateWhenLocked;
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Opens a connection with the settings and the macro that each statement finds. All of it works on a locked engine. */
async function openConnection(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  // The engine counts progress only if the progress bar is enabled. It must not print the bar.
  await connection.run("PRAGMA enable_progress_bar");
  await connection.run("PRAGMA disable_print_progress_bar");
  // The engine's own function would return the COPY that the service runs. Views of a source call this macro, too.
  await connection.run(`CREATE TEMP MACRO current_query() AS getvariable('${statementVariable}')`);
  return connection;
}

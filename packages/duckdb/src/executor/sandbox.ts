import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import type { Database } from "../sources/held-data.ts";

export interface EngineOptions {
  /** The process's own directory; nothing outside it can be written. */
  readonly directory: string;
  readonly threads: number;
  readonly memoryMegabytes: number;
  readonly spillMegabytes: number;
}

/** An instance that nothing has been run on yet. It is not locked. */
export interface Engine {
  readonly connection: DuckDBConnection;
  readonly directory: string;
}

export interface Sandbox {
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly outputDirectory: string;
}

/** The one folder that statements of the service itself may write into, in the directory of the process. */
export const outputFolder = "out";

const statementVariable = "quern_statement";

/** Opening an instance takes longer than all that a small statement needs, so it is done before there is a statement. */
export async function openEngine({ directory, ...options }: EngineOptions): Promise<Engine> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads),
    memory_limit: `${options.memoryMegabytes}MB`,
    temp_directory: join(directory, "spill"),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
    home_directory: directory,
    errors_as_json: "true",
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  // As an option of the new instance it would be ignored without a word.
  await connection.run(`SET max_temp_directory_size = '${options.spillMegabytes}MB'`);
  // Without it the engine does not count what it has done; it would also print a bar.
  await connection.run("SET enable_progress_bar = true");
  await connection.run("SET enable_progress_bar_print = false");
  // The engine's own function would return the COPY that the service runs. Views of a source call this macro, too.
  await connection.run(`CREATE TEMP MACRO current_query() AS getvariable('${statementVariable}')`);
  return { connection, directory };
}

/**
 * Makes an engine that of one statement, which reads `databases`: each is a catalog, and names without one are those of
 * the first. Each step relies on those before it.
 */
export async function lockedSandbox(
  { connection, directory }: Engine,
  databases: readonly Database[],
  sql: string,
): Promise<Sandbox> {
  const outputDirectory = join(directory, outputFolder);
  mkdirSync(outputDirectory, { recursive: true });
  for (const { name, path } of databases)
    await connection.run(`ATTACH ${quotedText(path)} AS ${quotedName(name)} (READ_ONLY)`);
  const [first] = databases;
  if (first !== undefined) await connection.run(`USE ${quotedName(first.name)}`);
  await connection.run(`SET allowed_directories = [${quotedText(outputDirectory)}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  await connection.run(`SET VARIABLE ${statementVariable} = ${quotedText(sql)}`);
  return { connection, directory, outputDirectory };
}

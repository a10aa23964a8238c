import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import type { Database } from "../sources/held-data.ts";

export interface EngineOptions {
  /** Directory of the process. Nothing outside it can be written. */
  readonly directory: string;
  readonly threads: number;
  readonly memoryMegabytes: number;
  readonly spillMegabytes: number;
}

/** Open engine without a statement. It is not locked yet. */
export interface Engine {
  readonly connection: DuckDBConnection;
  readonly directory: string;
}

/** Engine that is locked to one statement. */
export interface Sandbox {
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly outputDirectory: string;
}

/** Only directory that the locked engine may write to, relative to the directory of the process. */
export const outputFolder = "out";

const statementVariable = "quern_statement";

/** Opens an engine. It takes longer than a small statement, so a warm process does it before it gets a statement. */
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
  // The engine ignores this setting as an option of a new instance.
  await connection.run(`SET max_temp_directory_size = '${options.spillMegabytes}MB'`);
  // The engine counts progress only if the progress bar is enabled. It must not print the bar.
  await connection.run("SET enable_progress_bar = true");
  await connection.run("SET enable_progress_bar_print = false");
  // The engine's own function would return the COPY that the service runs. Views of a source call this macro, too.
  await connection.run(`CREATE TEMP MACRO current_query() AS getvariable('${statementVariable}')`);
  return { connection, directory };
}

/**
 * Locks an engine to one statement on `databases`. Each database is attached as a catalog; names without a catalog refer to
 * the first one. The order of the steps matters: files are attached before external access is disabled, and
 * `lock_configuration` comes after all other settings.
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

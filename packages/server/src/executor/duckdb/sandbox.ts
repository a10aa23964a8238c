import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Database } from "../../sources/source.ts";

export interface SandboxOptions {
  /** The process's own directory; nothing outside it can be written. */
  readonly directory: string;
  /** The DuckDB files the statement reads, each a catalog; names without one are those of the first. */
  readonly databases: readonly Database[];
  readonly threads: number;
  readonly memoryMegabytes: number;
  readonly spillMegabytes: number;
}

export interface Sandbox {
  readonly connection: DuckDBConnection;
  /** The one directory that statements of the service itself may write into. */
  readonly outputDirectory: string;
}

/** An instance for one statement. Each step relies on those before it; the lock is the last. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const outputDirectory = join(options.directory, "out");
  const spillDirectory = join(options.directory, "spill");
  mkdirSync(outputDirectory, { recursive: true });
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads),
    memory_limit: `${options.memoryMegabytes}MB`,
    temp_directory: spillDirectory,
    max_temp_directory_size: `${options.spillMegabytes}MB`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
    errors_as_json: "true",
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const { name, path } of options.databases)
    await connection.run(`ATTACH ${quotedText(path)} AS ${quotedName(name)} (READ_ONLY)`);
  const [first] = options.databases;
  if (first !== undefined) await connection.run(`USE ${quotedName(first.name)}`);
  await connection.run(`SET allowed_directories = [${quotedText(outputDirectory)}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  return { connection, outputDirectory };
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

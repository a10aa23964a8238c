import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { UploadedTable } from "@quern/adapter";
import "../engine/package-corrections.ts";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { ownDirectory, ownDirectoryNames, sharedFolder } from "../processes/child-directory.ts";
import { outputFolder, resultFile } from "../results/output-file.ts";
import type { Database } from "../sources/held-data.ts";
import type { EngineThreads } from "./engine-threads.ts";
import { privateName } from "./private-name.ts";
import { readSourceObjects, type SourceObjects } from "./source-objects.ts";
import { createStateGuard } from "./state-guard.ts";
import { emptyDatabase, type Isolation } from "./task.ts";

export interface EngineOptions {
  /** Path of the directory of the process, for the process itself. Statements can write nothing outside it. */
  readonly directory: string;
  /** Path of a file that an earlier engine has left as {@link emptyDatabase}. @default a new file in the directory */
  readonly emptyDatabase?: string | undefined;
  /** Threads of a large statement. Small ones have one. */
  readonly threads: number;
  readonly memoryMegabytes: number;
  readonly spillMegabytes: number;
  readonly isolation: Isolation;
}

/** Connection to a locked engine that one statement uses alone. */
export interface Sandbox {
  readonly connection: DuckDBConnection;
  readonly threads: EngineThreads;
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
   * @param objects views and macros of the databases @default unknown
   * @param uploads files that statements may read; the first call allows them for all @default none
   */
  begin(
    databases: readonly Database[],
    sql: string,
    objects?: SourceObjects,
    uploads?: readonly UploadedTable[],
  ): Promise<Sandbox>;
  /** Lists the views and macros of the databases. */
  objects(): Promise<SourceObjects>;
  /**
   * Prepares the engine for the next statement of the same user: removes the result, and opens a new connection, or a
   * new engine if statements do not share one.
   * @returns true if the next statement finds the engine and the directory as the first one did
   */
  finish(): Promise<boolean>;
}

/** Folder for spilled data, which DuckDB may always write to. The locked engine may write only here and to {@link outputFolder}. */
const spillFolder = "spill";

/** The result file in the COPY that writes it, whose text must not have a path of the service. */
export const resultTarget = join(ownDirectory, resultFile);

const statementVariable = "quern_statement";

const oneThread = "SET threads = 1";

/** Sets a connection up for a statement. */
const setUp = [
  // The engine counts progress only if the progress bar is enabled. It must not print the bar.
  "PRAGMA enable_progress_bar",
  "PRAGMA disable_print_progress_bar",
];

/** The engine's own function would return the COPY that the service runs. Views of a source call this macro, too. */
const currentQuery = `CREATE OR REPLACE TEMP MACRO current_query() AS getvariable('${statementVariable}')`;

/** Opens an engine. It takes longer than a small statement, so a warm process does it before it gets a statement. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { directory, isolation, threads } = options;
  const outputDirectory = join(directory, outputFolder);
  mkdirSync(outputDirectory, { recursive: true });
  mkdirSync(join(directory, spillFolder), { recursive: true });
  const ownPaths = [directory, ...ownDirectoryNames];
  const servicePaths = [...ownPaths];
  let instance = await createInstance(options);
  let connection = await openConnection(instance);
  const files = filesBelow(directory);
  /** Statement that selects the catalog of the first database; undefined until the engine is locked. */
  let useSource: string | undefined;
  const guard = isolation === "user" ? await createStateGuard(instance) : undefined;
  let hasAllThreads = threads === 1;

  async function reconnect(): Promise<void> {
    connection.closeSync();
    const mustReduceThreads = threads > 1 && hasAllThreads;
    connection = await openConnection(instance, mustReduceThreads ? oneThread : undefined, useSource);
    if (mustReduceThreads) hasAllThreads = false;
  }

  async function lock(databases: readonly Database[], uploads: readonly UploadedTable[]): Promise<void> {
    servicePaths.push(...databases.map(({ path }) => path));
    const [first] = databases;
    const use = first === undefined ? "" : `USE ${quotedName(first.name)}`;
    const allowed = [outputDirectory, join(ownDirectory, outputFolder)].map(quotedText);
    const names = databases.map(({ path }, index) => privateName(path, outputDirectory, `${index}.duckdb`));
    await runAll(connection, [
      // Files are attached before external access is disabled, and `lock_configuration` comes after all other settings.
      ...databases.map(
        ({ name }, index) => `ATTACH ${quotedText(names[index]?.path ?? "")} AS ${quotedName(name)} (READ_ONLY)`,
      ),
      `SET allowed_directories = [${allowed.join(", ")}]`,
      ...(uploads.length > 0
        ? [`SET allowed_paths = [${uploads.map(({ path }) => quotedText(path)).join(", ")}]`]
        : []),
      "SET enable_external_access = false",
      ...(threads > 1 ? ["SET allowed_configs = ['threads']"] : []),
      "SET lock_configuration = true",
      use,
    ]).finally(() => {
      for (const name of names) name.remove();
    });
    useSource = use;
    await guard?.record();
  }

  async function reopen(): Promise<void> {
    connection.closeSync();
    instance.closeSync();
    instance = await createInstance(options);
    connection = await openConnection(instance);
    hasAllThreads = threads === 1;
    useSource = undefined;
    servicePaths.splice(ownPaths.length); // the databases of the closed engine
  }

  const engineThreads: EngineThreads = {
    get hasMore() {
      return !hasAllThreads;
    },
    async useAll() {
      if (hasAllThreads) return;
      await connection.run(`SET threads = ${threads}`);
      hasAllThreads = true;
    },
  };

  return {
    servicePaths,
    objects: () => readSourceObjects(instance),
    async begin(databases, sql, objects, uploads = []) {
      if (useSource === undefined) await lock(databases, uploads);
      if (objects?.usesCurrentQuery !== false || /current_query/i.test(sql))
        await runAll(connection, [currentQuery, `SET VARIABLE ${statementVariable} = ${quotedText(sql)}`]);
      return { connection, threads: engineThreads, directory, outputDirectory, servicePaths };
    },
    async finish() {
      rmSync(join(directory, resultFile), { force: true });
      await (guard === undefined ? reopen() : reconnect());
      return filesBelow(directory) === files && (guard === undefined || (await guard.isUnchanged()));
    },
  };
}

async function createInstance({
  directory,
  emptyDatabase: shared,
  ...options
}: EngineOptions): Promise<DuckDBInstance> {
  const path = shared ?? (await createEmptyDatabase(directory));
  const name = privateName(path, join(directory, outputFolder), emptyDatabase);
  const instance = await DuckDBInstance.create(name.path, {
    access_mode: "READ_ONLY",
    threads: String(options.threads),
    memory_limit: `${options.memoryMegabytes}MB`,
    temp_directory: join(directory, spillFolder),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
    home_directory: directory,
    errors_as_json: "true",
    // For an earlier version, a syntax tree has less, and a statement with an ENUM within another type has none.
    storage_compatibility_version: "latest",
  }).finally(name.remove);
  const connection = await instance.connect();
  // Later connections inherit global settings only. As options of a new instance, the engine refuses the first of these
  // settings, and the second has no effect.
  await runAll(connection, [
    "SET GLOBAL TimeZone = 'UTC'",
    `SET max_temp_directory_size = '${options.spillMegabytes}MB'`,
    oneThread,
    // Each result has the same path, and the cache returns blocks of the one before.
    "SET enable_external_file_cache = false",
  ]);
  connection.closeSync();
  return instance;
}

async function createEmptyDatabase(directory: string): Promise<string> {
  const path = join(directory, emptyDatabase);
  (await DuckDBInstance.create(path)).closeSync();
  return path;
}

/** Opens a connection, and sets it up for a statement. These commands are permitted on a locked engine. */
async function openConnection(instance: DuckDBInstance, ...more: readonly (string | undefined)[]) {
  const connection = await instance.connect();
  await runAll(connection, [...setUp, ...more]);
  return connection;
}

/** Runs commands as one text, because each call of the engine takes a time of its own. */
async function runAll(connection: DuckDBConnection, commands: readonly (string | undefined)[]): Promise<void> {
  await connection.run(commands.filter(Boolean).join("; "));
}

/** Returns the paths of all files and directories of a process as one text, without those of the shared folder. */
function filesBelow(directory: string): string {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path !== sharedFolder && !path.startsWith(`${sharedFolder}/`))
    .sort()
    .join("\n");
}

import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import "../engine/package-corrections.ts";
import { ownDirectory } from "../processes/child-directory.ts";

/** Limits of a process that reads or writes results. */
export interface ReadingLimits {
  /** Maximum disk space for data that does not fit into the memory of its engine, in MB. */
  readonly spillMegabytes: number;
}

/** Open engine. */
export interface ReadingEngine {
  /** Opens a connection with the time zone UTC. */
  connect(): Promise<DuckDBConnection>;
  /** Closes the engine; call it once its connections are closed. */
  close(): void;
}

/**
 * Opens an engine that reads or writes results. It spills into the working directory of the process. Its memory limit
 * is the default limit of a statement, so that it can read what a statement wrote. The memory limit of the process is
 * higher than that of the engine, because the engine does not count copies of values in JavaScript.
 * @param threads Threads of the engine. With one, each connection computes in a thread of its own.
 */
export async function openEngine({ spillMegabytes }: ReadingLimits, threads = 2): Promise<ReadingEngine> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: "1000MB",
    temp_directory: join(ownDirectory, "spill"),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  // As an option of a new instance, this setting has no effect, although the engine then shows its value.
  await connection.run(`SET max_temp_directory_size = '${spillMegabytes}MB'`);
  connection.closeSync();
  return {
    async connect() {
      const opened = await instance.connect();
      await opened.run("SET TimeZone = 'UTC'");
      return opened;
    },
    close: () => instance.closeSync(),
  };
}

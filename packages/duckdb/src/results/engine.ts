import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** What a process that reads stored results is told of the service's limits. */
export interface ReadingLimits {
  /** Disk for what does not fit into the memory of its engine. */
  readonly spillMegabytes: number;
}

/** An open engine. */
export interface ReadingEngine {
  connect(): Promise<DuckDBConnection>;
  /** Closes the engine; call it once its connections are closed. */
  close(): void;
}

/**
 * Gives connections to an engine that reads stored results. It spills into the process's own directory, and has the memory
 * of an executor's: what that could write, this can read. The process has more, for the copies that no engine counts.
 */
export async function openEngine({ spillMegabytes }: ReadingLimits): Promise<ReadingEngine> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "2",
    memory_limit: "1000MB",
    temp_directory: "spill",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  // As an option of the new instance it would be ignored without a word.
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

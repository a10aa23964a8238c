import type { DuckDBConnection } from "@duckdb/node-api";
import { openEngine, type ReadingLimits } from "../results/engine.ts";
import { jsonMacros } from "./json-cell.ts";

/** Engine that reads pages. Its connections are used again, because opening one takes as long as a small page. */
export interface PageEngine {
  /** Resolves when the engine is open. */
  readonly ready: Promise<unknown>;
  /** Returns a connection that no other page uses. */
  acquire(): Promise<DuckDBConnection>;
  /** Takes a connection back. */
  release(connection: DuckDBConnection): Promise<void>;
}

/** Opens the engine. It keeps the footers of files that it has read, which the engine reads again when a file changes. */
export function openPageEngine(limits: ReadingLimits): PageEngine {
  const idle: DuckDBConnection[] = [];
  const ready = openEngine(limits).then(async (engine) => {
    const connection = await engine.connect();
    await connection.run("SET GLOBAL parquet_metadata_cache = true");
    for (const macro of jsonMacros) await connection.run(macro);
    idle.push(connection);
    return engine;
  });
  return {
    ready,
    async acquire() {
      const engine = await ready;
      return idle.pop() ?? engine.connect();
    },
    async release(connection) {
      // The next statement frees a stream that was not read to its end. Otherwise its memory stays until garbage
      // collection. It also shows if the connection can still be used.
      const isUsable = await connection.run("SELECT 1").then(
        () => true,
        () => false,
      );
      if (isUsable) idle.push(connection);
      else connection.closeSync();
    },
  };
}

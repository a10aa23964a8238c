import type { DuckDBConnection } from "@duckdb/node-api";
import { openEngine, type ReadingEngine, type ReadingLimits } from "../results/engine.ts";
import { parquetFooterBytes } from "../results/parquet-row-count.ts";
import { jsonMacros } from "./json-cell.ts";

/** Connection that no other page uses until it is released. */
interface PageConnection {
  readonly connection: DuckDBConnection;
  /**
   * @param hasStreamed False if no stream of the connection was begun, which could be read only in part, and no statement
   *   of it has failed. @default true
   */
  release(hasStreamed?: boolean): Promise<void>;
}

/** Engine that reads pages. Its connections are used again, because opening one takes as long as a small page. */
export interface PageEngine {
  /** Opens the engine, which otherwise happens with the first page. */
  open(): Promise<void>;
  acquire(): Promise<PageConnection>;
  /** Counts the footer of a file, unless it has been counted for the present engine. */
  countFooter(path: string): void;
}

/** Engine with its unused connections. */
interface Opened {
  readonly engine: ReadingEngine;
  readonly idle: DuckDBConnection[];
  inUse: number;
}

/**
 * Maximum size of the footers that an engine keeps, in bytes. In memory they take about ten times as much. An engine
 * never forgets a footer, so it is replaced.
 */
const maxFooterBytes = 30_000_000;

/** With two, one thread spins while it waits for the other, which costs more than it saves for a page. */
const threads = 1;

/**
 * Creates an engine that keeps the footers of the files it has read, so that the next page need not parse them.
 * @param bytesOf returns the size of the footer of a file
 */
export function createPageEngine(limits: ReadingLimits, bytesOf = parquetFooterBytes): PageEngine {
  /** Files whose footers the engine keeps. */
  const counted = new Set<string>();
  let footerBytes = 0;
  let current: Promise<Opened> | undefined;

  async function open(): Promise<Opened> {
    const engine = await openEngine(limits, threads);
    const connection = await engine.connect();
    await connection.run("SET GLOBAL parquet_metadata_cache = true");
    // The search for common subexpressions takes a time quadratic in the number of columns: a second for 300 of them.
    await connection.run("SET GLOBAL disabled_optimizers = 'common_subexpressions'");
    for (const macro of jsonMacros) await connection.run(macro);
    return { engine, idle: [connection], inUse: 0 };
  }

  function close({ engine, idle }: Opened): void {
    for (const connection of idle) connection.closeSync();
    engine.close();
  }

  /** Returns the engine for the next page. An engine with too many footers is closed after its last page. */
  async function latest(): Promise<Opened> {
    if (footerBytes > maxFooterBytes) {
      footerBytes = 0;
      counted.clear();
      const last = current;
      current = undefined;
      last?.then((opened) => opened.inUse === 0 && close(opened)).catch(() => {}); // an engine that did not open
    }
    current ??= open();
    return current;
  }

  return {
    async open() {
      await latest();
    },
    countFooter(path) {
      if (counted.has(path)) return;
      footerBytes += bytesOf(path);
      counted.add(path);
    },
    async acquire() {
      const opened = await latest();
      opened.inUse += 1;
      const leave = async (): Promise<void> => {
        opened.inUse -= 1;
        const newest = await current?.catch(() => undefined); // the page that opens it gets the error
        if (opened.inUse === 0 && opened !== newest) close(opened);
      };
      try {
        const connection = opened.idle.pop() ?? (await opened.engine.connect());
        const release = async (hasStreamed = true): Promise<void> => {
          // The next statement frees a stream that was not read to its end. Otherwise its memory stays until garbage
          // collection. It fails if the connection can no longer be used.
          if (hasStreamed)
            await connection.run("SELECT 1").then(
              () => opened.idle.push(connection),
              () => connection.closeSync(),
            );
          else opened.idle.push(connection);
          await leave();
        };
        return { connection, release };
      } catch (error) {
        await leave();
        throw error;
      }
    },
  };
}

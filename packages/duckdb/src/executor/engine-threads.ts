import type { DuckDBConnection } from "@duckdb/node-api";

/** Threads of an engine that begins each statement on one of them. */
export interface EngineThreads {
  /** True if a statement can have more threads than it has. */
  readonly hasMore: boolean;
  /** Gives the statements of the engine all of its threads, until it is prepared for the next statement of a caller. */
  useAll(): Promise<void>;
}

/** Connection of a statement, and the threads of its engine. */
interface Target {
  readonly connection: Pick<DuckDBConnection, "interrupt" | "progress" | "run">;
  readonly threads: EngineThreads;
}

/** Processor time after which a statement gets all threads, in microseconds: before its scans are half done, and afterwards. */
const small = { microseconds: 20_000, mostMicroseconds: 100_000 };
const checkIntervalMs = 10;

/**
 * Runs a statement on one thread. A statement that takes longer than a small one is interrupted, and runs again on all
 * threads: DuckDB fixes the thread count when a statement starts. Its threads spin while they wait for each other, which
 * costs a small statement more than its own work.
 */
export async function withAdaptiveThreads<T>({ connection, threads }: Target, run: () => Promise<T>): Promise<T> {
  if (!threads.hasMore) return run();
  let isInterrupted = false;
  const before = process.cpuUsage();
  // The interrupt repeats, because one between two steps of the engine has no effect.
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    // The progress is that of the scans alone, so the work after them may be larger.
    const limit = connection.progress.percentage < 50 ? small.microseconds : small.mostMicroseconds;
    isInterrupted ||= user + system > limit;
    if (isInterrupted) connection.interrupt();
  }, checkIntervalMs);
  try {
    return await run();
  } catch (error) {
    if (!isInterrupted || !isInterrupt(error)) throw error;
  } finally {
    clearInterval(timer);
  }
  // The last interrupt may have stopped the end of a transaction.
  await connection.run("ROLLBACK").catch(() => {}); // fails without a transaction
  await threads.useAll();
  return run();
}

/** Returns true for an error by which the engine reports an interrupt; its errors are JSON. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.message.includes('"exception_type":"INTERRUPT"');
}

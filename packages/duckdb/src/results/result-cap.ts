import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ResultCaps, StatementError } from "@quern/adapter";

/** Connection that writes a result, and the folder in which the file grows. */
interface Output {
  readonly connection: Pick<DuckDBConnection, "interrupt">;
  readonly outputDirectory: string;
}

const intervalMs = 100;

/** Makes the error of a run whose result is larger than the service keeps. @param limit such as `1000 rows` */
export function resultTooLarge(limit: string): StatementError {
  return new StatementError({
    name: "ResultTooLarge",
    message: `The result has more than ${limit}, which is the limit of this service. Select fewer rows or columns.`,
    data: { category: "RESOURCE", engine: "duckdb", retryable: false },
  });
}

/**
 * Lets a result be written as long as it stays within its cap: the file is looked at while it grows, the rows are counted
 * when it is complete.
 * @throws {StatementError} `ResultTooLarge`
 */
export async function withinCap<Written extends { readonly rowCount: number }>(
  { maxResultBytes, maxResultRows }: ResultCaps,
  { connection, outputDirectory }: Output,
  write: () => Promise<Written>,
): Promise<Written> {
  let isTooLarge = false;
  const look = (): void => {
    // It stays so: the engine removes the file of an interrupted statement.
    isTooLarge ||= sizeOf(outputDirectory) > maxResultBytes;
    if (isTooLarge) connection.interrupt();
  };
  // Until the writing has ended: an interrupt that comes between two steps of the engine is lost.
  const watch = setInterval(look, intervalMs);
  try {
    const written = await write();
    if (written.rowCount > maxResultRows) throw resultTooLarge(`${maxResultRows} rows`);
    look();
    if (isTooLarge) throw resultTooLarge(`${maxResultBytes} bytes`);
    return written;
  } catch (error) {
    throw isTooLarge ? resultTooLarge(`${maxResultBytes} bytes`) : error;
  } finally {
    clearInterval(watch);
  }
}

/** Without the thread pool, whose threads the engine may have. */
function sizeOf(directory: string): number {
  const sizes = readdirSync(directory).map(
    (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

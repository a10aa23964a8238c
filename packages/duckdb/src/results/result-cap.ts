import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ResultCaps, StatementError } from "@quern/adapter";

/** Connection that writes a result, and the directory in which its file grows. */
interface Output {
  readonly connection: Pick<DuckDBConnection, "interrupt">;
  readonly outputDirectory: string;
}

const intervalMs = 100;

/** Returns the largest size of the cells of a result, in bytes. */
export function maxCellBytesOf({ maxSmallResultBytes = 0, maxResultBytes }: ResultCaps): number {
  return Math.min(maxSmallResultBytes, maxResultBytes);
}

/** Returns the error of a result that exceeds a cap. @param limit such as `1000 rows` */
export function resultTooLarge(limit: string): StatementError {
  return new StatementError({
    name: "ResultTooLarge",
    message: `The result is too large: it has more than ${limit}; select fewer rows or columns.`,
    data: { category: "RESOURCE", engine: "duckdb", retryable: false },
  });
}

/**
 * Writes a result within its caps. The size of the file is checked while it grows, and the engine is interrupted if it
 * exceeds the cap. The rows are counted when the file is complete.
 * @throws {StatementError} `ResultTooLarge`
 */
export async function withinCap<Written extends { readonly rowCount: number }>(
  { maxResultBytes, maxResultRows }: ResultCaps,
  { connection, outputDirectory }: Output,
  write: () => Promise<Written>,
): Promise<Written> {
  let isTooLarge = false;
  const checkSize = (): void => {
    // The result stays too large, although the engine removes the file of an interrupted statement.
    isTooLarge ||= sizeOf(outputDirectory) > maxResultBytes;
    if (isTooLarge) connection.interrupt();
  };
  // The check repeats until the end, because an interrupt between two steps of the engine has no effect.
  const timer = setInterval(checkSize, intervalMs);
  try {
    const written = await write();
    if (written.rowCount > maxResultRows) throw resultTooLarge(`${maxResultRows} rows`);
    checkSize();
    if (isTooLarge) throw resultTooLarge(`${maxResultBytes} bytes`);
    return written;
  } catch (error) {
    throw isTooLarge ? resultTooLarge(`${maxResultBytes} bytes`) : error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns the size of all files in bytes. It is synchronous, because the engine can occupy the thread pool of Node.js.
 */
function sizeOf(directory: string): number {
  const sizes = readdirSync(directory).map(
    (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

// The built package is used, because its processes start faster than from sources.
import { createResultReader, type ResultReader } from "../../dist/reader/reader.js";

/** Creates a reader whose limits a test does not reach. */
export function createTestReader(workDirectory: string): ResultReader {
  return createResultReader({
    workDirectory,
    spillMegabytes: 1_000,
    filteredPageTimeoutSeconds: 60,
    maxCopyBytes: 1e9,
    hasSpace: async () => true,
  });
}

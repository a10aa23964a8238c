import type { EngineColumn, ResultCaps } from "@quern/adapter";
import type { ResultColumn } from "@quern/query-run/record";
import type { ReadingLimits } from "../results/engine.ts";

/** Encoding of rows in a file: one JSON array in each line, a sequence of JSON arrays of rows, or CSV. */
export type RowEncoding = "lines" | "arrays" | "csv";

/** Task of a process that writes one result. Its rows are in {@link rowsFile}. */
export interface WriteTask extends ResultCaps, ReadingLimits {
  readonly encoding: RowEncoding;
  readonly columns: readonly EngineColumn[];
}

export interface WriteAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
}

/**
 * Path of the rows, relative to the directory of the process, so that no message of the engine has a path of the
 * service.
 */
export const rowsFile = "rows";

/** Directory that has the Parquet file only, so that its size is the size of the result. */
export const outputFolder = "out";

export const resultFile = `${outputFolder}/result.parquet`;

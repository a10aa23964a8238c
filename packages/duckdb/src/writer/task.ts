import type { EngineColumn, ResultCaps } from "@quern/adapter";
import type { ResultColumn } from "@quern/query-run/record";
import type { ReadingLimits } from "../results/engine.ts";

/** How rows lie in the file: a JSON array in each line, JSON arrays of rows one after the other, or CSV. */
export type RowEncoding = "lines" | "arrays" | "csv";

/** Task of the child process that writes one result; it lies in {@link rowsFile} of its folder. */
export interface WriteTask extends ResultCaps, ReadingLimits {
  readonly encoding: RowEncoding;
  readonly columns: readonly EngineColumn[];
}

export interface WriteAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
}

/** Relative to the folder of the process, so that no message of the engine has a path of the service. */
export const rowsFile = "rows";

/** Folder of the Parquet file alone, whose size is watched. */
export const outputFolder = "out";

export const resultFile = `${outputFolder}/result.parquet`;

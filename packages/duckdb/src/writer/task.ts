import type { EngineColumn, ResultCaps } from "@quern/adapter";
import type { Cells, ResultColumn } from "@quern/query-run/record";

/**
 * Encoding of rows in a file: one JSON array in each line, a JSON array of rows, the same with structs as arrays, or
 * CSV.
 */
export type RowEncoding = "lines" | "arrays" | "positional-arrays" | "csv";

/** Task of a process that writes one result. */
export interface WriteTask extends ResultCaps {
  readonly encoding: RowEncoding;
  readonly columns: readonly EngineColumn[];
  /**
   * Name of the file with the rows. It is relative to the directory of the process, so that no message of the engine has
   * a path of the service.
   */
  readonly file: string;
  /** True if the file is a pipe, which can be read once. */
  readonly isPipe: boolean;
}

export interface WriteAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly cells?: Cells | undefined;
}

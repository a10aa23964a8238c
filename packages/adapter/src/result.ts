import type { Cells, ResultColumn } from "@quern/query-run/record";
import type { ResultCaps } from "./statement.ts";

/** Column as an engine delivers it. */
export interface EngineColumn {
  readonly name: string;
  /** Name of the type as the engine writes it. It is shown to callers and never becomes part of SQL. */
  readonly engineType: string;
  /**
   * Type to which the values are converted, in the notation of DuckDB: `BIGINT`, `DECIMAL(18,2)`,
   * `STRUCT("id" BIGINT)[]`. The Parquet file may store them in another form.
   */
  readonly storedType: string;
}

/** Parquet file whose columns are named `c0`, `c1`, … by position. */
export interface ParquetFile {
  readonly path: string;
  readonly rowCount: number;
}

/** Result that the engine writes as a Parquet file. */
export interface ParquetResult {
  readonly form: "parquet";
  readonly columns: readonly ResultColumn[];
  /** Waits until the file is complete. Called once. An error ends the attempt to execute the run. */
  file(): Promise<ParquetFile>;
}

/** Small result as the JSON texts of its values. The service keeps it in the record of the run. */
export interface CellsResult {
  readonly form: "cells";
  readonly columns: readonly ResultColumn[];
  readonly cells: Cells;
}

/**
 * Result that is delivered row by row, with a value for each column; `null` is SQL NULL. An integer beyond ±(2^53 - 1) is a
 * `bigint` or a string of digits, a date or time is a `Date` or an ISO 8601 string, bytes are a `Uint8Array`, and
 * nested values are arrays and objects.
 */
export interface RowsResult {
  readonly form: "rows";
  readonly columns: readonly EngineColumn[];
  /** An error ends the attempt to execute the run, also after the first rows. */
  readonly rows: AsyncIterable<readonly unknown[]>;
}

/**
 * Result as encoded bytes, in parts that follow one another.
 * - `json`: each part is a JSON array of rows, and a row an array of values; bytes are base64. DuckDB refuses some arrays
 *   above 32 MB that have space between rows, so write none. Numbers inside values of the type JSON keep the digits of a
 *   double only, so use `positional-json` for those.
 * - `positional-json`: like `json`, also within nested values, but a struct is an array of its values, the keys of a map
 *   are text, and a value of the type JSON is a string with its text.
 * - `csv`: no header; a quote in a field is doubled; an empty unquoted field is NULL; each row ends with `\n`. A list of
 *   JSON values is a JSON array of strings with their texts.
 */
export interface EncodedResult {
  readonly form: "encoded";
  readonly encoding: "json" | "positional-json" | "csv";
  readonly columns: readonly EngineColumn[];
  /**
   * Byte streams, such as opened files. An error ends the attempt to execute the run, also after the first rows. A part
   * of JSON can take its size in memory, so write several parts of at most some megabytes.
   */
  readonly parts: AsyncIterable<AsyncIterable<Uint8Array>>;
  /**
   * Returns the number of rows that the engine says it has sent; undefined if it does not say. Called after the parts have
   * ended; another number of rows in the file is an error.
   * @default the rows are not counted
   */
  readonly rowCount?: () => number | undefined;
}

export type EngineResult = ParquetResult | CellsResult | RowsResult | EncodedResult;

/** Result in a file that is not committed to the result store yet. */
export interface WrittenResult extends ParquetFile {
  readonly columns: readonly ResultColumn[];
  /** Values of the file if they are small and a file can be made from them again. @default not known */
  readonly cells?: Cells | undefined;
  /**
   * Removes the file if it still exists, unless the release of the execution removes it. Called after the
   * commit, or when the result is discarded.
   */
  release(): Promise<void>;
}

/** Small result without a file. */
export interface ReturnedResult extends Omit<WrittenResult, "path"> {
  readonly path?: undefined;
  readonly cells: Cells;
}

/** Writes results that an engine delivers as rows or encoded bytes to Parquet files. */
export interface ResultWriter {
  /**
   * Writes a whole result.
   * @throws {StatementError} `ResultTooLarge` above a cap, or for a too large row of JSON, `InvalidValue` for a value that does not fit its column,
   *   `UnsupportedType` for a column type that rows cannot have, or another failure, such as `LimitExceeded`,
   *   `OutOfMemoryError` or `StorageFull` for a lack of memory or disk space
   * @throws {EngineLostError} if the process that writes the result ends
   * @throws the reason of the signal, if it is aborted
   * @param tenantId tenant of the result, whose next result the same process may write. Without it, the process writes
   *   no other result.
   */
  write(
    result: RowsResult | EncodedResult,
    caps: ResultCaps,
    signal: AbortSignal,
    tenantId?: string,
  ): Promise<WrittenResult>;
  close(): Promise<void>;
}

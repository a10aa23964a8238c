import type { ResultColumn } from "@quern/query-run/record";
import type { ResultCaps } from "./statement.ts";

/** Column as an engine delivers it. */
export interface EngineColumn {
  readonly name: string;
  /** Name of the type as the engine writes it: shown to callers, never part of SQL. */
  readonly engineType: string;
  /** Type in which values are stored, in the notation of DuckDB: `BIGINT`, `DECIMAL(18,2)`, `STRUCT("id" BIGINT)[]`. */
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
  /** Waits until the file is complete. Called once; what it throws fails the run. */
  file(): Promise<ParquetFile>;
}

/**
 * Result that is delivered row by row: a value for each column, `null` for none. A number of more than 2^53 is a `bigint`
 * or a text of digits, a date or time a `Date` or an ISO 8601 text, bytes a `Uint8Array`, nested values arrays and objects.
 */
export interface RowsResult {
  readonly form: "rows";
  readonly columns: readonly EngineColumn[];
  /** What it throws fails the run, whatever came before. */
  readonly rows: AsyncIterable<readonly unknown[]>;
}

/**
 * Result as encoded bytes, in parts that follow one another.
 * - `json`: each part is a JSON array of rows, and a row an array of values; bytes are base64.
 * - `csv`: no header; quotes are doubled; an empty field without quotes is a null. A part ends with a line end.
 */
export interface EncodedResult {
  readonly form: "encoded";
  readonly encoding: "json" | "csv";
  readonly columns: readonly EngineColumn[];
  /** Streams of bytes, such as opened files. What they throw fails the run, whatever came before. */
  readonly parts: AsyncIterable<AsyncIterable<Uint8Array>>;
}

export type EngineResult = ParquetResult | RowsResult | EncodedResult;

/** Result that lies in a file and that nobody has committed yet. */
export interface WrittenResult extends ParquetFile {
  readonly columns: readonly ResultColumn[];
  /** Removes what is left of the file; called after it was committed or given up. */
  release(): Promise<void>;
}

/** Turns results that are no Parquet file into one. */
export interface ResultWriter {
  /**
   * Writes a result to its end.
   * @throws {StatementError} `ResultTooLarge` beyond a cap, `InvalidValue` for a value that its column cannot hold
   */
  write(result: RowsResult | EncodedResult, caps: ResultCaps, signal: AbortSignal): Promise<WrittenResult>;
  close(): Promise<void>;
}

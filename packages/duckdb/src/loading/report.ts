/** Facts about a load of files. */
export interface LoadReport {
  /** Files that were read. */
  readonly files: number;
  /** Files that were skipped because of their names. */
  readonly skipped: number;
  /** Short rows that were filled with NULL. */
  readonly padded: number;
  /** Rows that were not loaded. */
  readonly ignored: number;
  /** Columns whose times were cut to microseconds. */
  readonly cut: readonly string[];
}

/** A data source as the operator sets it up. */
export interface SourceConfiguration {
  readonly name: string;
  readonly provider: string;
  /** The DuckDB file with the data; it is only read. Without it statements run on no data. */
  readonly path?: string;
  /** Answers calls that name no source. The first source is the default where none is marked. */
  readonly isDefault?: boolean;
  /**
   * Serves callers of the old service: answers to its names too, and gives column names in lower case. On for the
   * default source, off for others.
   */
  readonly oldNames?: boolean;
}

export interface Source {
  readonly name: string;
  readonly provider: string;
  readonly path: string | null;
  readonly lowerCaseColumns: boolean;
}

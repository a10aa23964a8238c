/** As whom the statements on a source run: all as one, or each as the user who asks. */
export type RunAs = "fixed" | "user";

/** A data source as the operator sets it up. */
export interface SourceConfiguration {
  readonly name: string;
  readonly provider: string;
  /** Kind of the source: the name of an adapter that the service was given. @default "duckdb" */
  readonly kind?: string;
  /**
   * The DuckDB file with the data, or the folder in which `quern sources` keeps it; it is only read. Without it statements
   * run on no data.
   */
  readonly path?: string;
  /** Answers calls that name no source. The first source is the default where none is marked. */
  readonly isDefault?: boolean;
  /**
   * Serves callers of the old service: answers to its names too, and gives column names in lower case. On for the
   * default source, off for others.
   */
  readonly oldNames?: boolean;
  /**
   * `user` where what a statement finds depends on who runs it: users never share a run then. `fixed`, where nothing is
   * said: users of one tenant share runs of equal statements.
   */
  readonly runAs?: RunAs;
}

export interface Source {
  readonly name: string;
  readonly provider: string;
  /** See {@link SourceConfiguration.kind}. */
  readonly kind: string;
  readonly path: string | null;
  readonly lowerCaseColumns: boolean;
  /** See {@link SourceConfiguration.runAs}; `fixed` where left out. */
  readonly runAs?: RunAs;
}

/** Data of a source as it is at one moment. */
export interface HeldData {
  readonly revision: string;
  /** Lets the data go, which stays until then whatever is loaded meanwhile. */
  release(): Promise<void>;
}

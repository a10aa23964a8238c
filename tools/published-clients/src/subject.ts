/** A server that runs, and statements on it that do what the suites need. */
export interface Subject extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** A statement whose result has three rows; the first column sorts. */
  readonly statement: {
    readonly sql: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
  };
  /** A statement whose result has a column and no rows. */
  readonly empty: { readonly sql: string };
  /** A statement whose result has more rows than one page of the old service. */
  readonly large: { readonly sql: string; readonly rowCount: number };
  readonly failing: { readonly sql: string; readonly errorName: string; readonly errorMessage: RegExp };
  /** A statement that is still running when it is canceled. */
  readonly endless: { readonly sql: string };
}

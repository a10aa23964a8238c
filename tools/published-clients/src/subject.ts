/** Running server, and statements for the suites. */
export interface Subject extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** Statement with three rows, in ascending order of the first column. */
  readonly statement: {
    readonly sql: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
  };
  /** Statement with a column and no rows. */
  readonly empty: { readonly sql: string };
  /** Statement with more rows than a page of the old service. */
  readonly large: { readonly sql: string; readonly rowCount: number };
  readonly failing: { readonly sql: string; readonly errorName: string; readonly errorMessage: RegExp };
  /** Statement that is still running when it is canceled. */
  readonly endless: { readonly sql: string };
}

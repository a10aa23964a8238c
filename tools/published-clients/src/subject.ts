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

/** Statements with the same text and result on each engine. */
export const commonStatements = {
  statement: {
    sql: "select * from (values (1, 'one'), (2, 'two'), (3, null)) numbers(n, word)",
    columns: ["n", "word"],
    rows: [
      [1, "one"],
      [2, "two"],
      [3, null],
    ],
  },
  empty: { sql: "select 1 as n where false" },
} as const satisfies Partial<Subject>;

import type { Query, RowOptions, UntypedRow } from "@quern/client";

/** A query, and the schema that validates its rows. */
export interface RowsQuery<Row = UntypedRow> extends Query<Row>, RowOptions<Row> {
  /**
   * Maximum number of rows that `queryResultsOptions` and `useQueryResults` read. Reading a larger result fails.
   * `infiniteResultsOptions` and `useInfiniteResults` ignore it.
   * @default 1,000,000
   */
  readonly maxRows?: number | undefined;
  /**
   * Text in the query key that tells apart the schemas of one statement. Pass another text with each schema.
   * @default ""
   */
  readonly schemaKey?: string | undefined;
}
